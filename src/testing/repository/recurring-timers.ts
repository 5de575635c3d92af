import { type ModuleItem, parseSync } from "@swc/core";

/** Modules whose `setTimeout` and `setInterval` are waited for. */
const WAITED_FOR = /^(node:)?timers(\/promises)?$/;
const LOOP = /^(For|ForIn|ForOf|While|DoWhile)Statement$/;
const FUNCTION = /^(Arrow)?FunctionExpression$/;

/** A node of swc's syntax tree; the fields depend on its type. */
type Node = Readonly<Record<string, unknown>> & { readonly type: string };

/** Where a node is: the functions with a name around it, the innermost last, and whether a loop of that one holds it. */
interface Position {
  readonly owners: readonly string[];
  readonly inLoop: boolean;
}

/**
 * Whether a source file has a timer that may go off again and again: an interval, a pause within a loop, or a timeout
 * that leads, by what functions of the file name each other, back to where it was set. Names are all it goes by, so
 * that it finds too many rather than too few.
 */
export function hasRecurringTimer(source: string): boolean {
  const { body } = parseSync(source, { syntax: "typescript", target: "es2022" });
  const timers = timersOf(body);
  const mentions = new Map<string, Set<string>>();
  const set: Position[] = [];
  let recurs = false;
  const visit = (node: Node, at: Position): void => {
    if (node.type === "Identifier") {
      for (const owner of at.owners)
        mentions.set(owner, (mentions.get(owner) ?? new Set()).add(textOf(node)));
    }
    if (node.type === "CallExpression") {
      const callee = node.callee as Node;
      const kind = timers.get(
        textOf(callee.type === "MemberExpression" ? (callee.property as Node) : callee),
      );
      if (kind === "interval") recurs = true;
      if (kind === "timeout") set.push(at);
    }
    const name = declaredName(node);
    const below = name
      ? { owners: [...at.owners, textOf(name)], inLoop: false }
      : { ...at, inLoop: at.inLoop || LOOP.test(node.type) };
    // In `function again() {}` the name is no mention of it.
    for (const child of childrenOf(node)) if (child !== name) visit(child, below);
  };
  for (const item of body) visit(item as unknown as Node, { owners: [], inLoop: false });
  return (
    recurs ||
    set.some(({ owners, inLoop }) => {
      const by = owners.at(-1);
      return inLoop || (by !== undefined && leadsBack(by, mentions));
    })
  );
}

/** What the file calls its timers. */
function timersOf(body: readonly ModuleItem[]): Map<string, "interval" | "timeout"> {
  const timers = new Map<string, "interval" | "timeout">([
    ["setInterval", "interval"],
    ["setTimeout", "timeout"],
  ]);
  for (const item of body) {
    if (item.type !== "ImportDeclaration" || !WAITED_FOR.test(item.source.value)) continue;
    for (const specifier of item.specifiers) {
      if (specifier.type !== "ImportSpecifier") continue;
      const kind = timers.get((specifier.imported ?? specifier.local).value);
      if (kind) timers.set(specifier.local.value, kind);
    }
  }
  return timers;
}

/** The name by which the function, method or accessor that a node declares is called; undefined for anything else. */
function declaredName(node: Node): Node | undefined {
  switch (node.type) {
    case "FunctionDeclaration":
      return node.identifier as Node;
    case "ClassMethod":
    case "PrivateMethod":
    case "MethodProperty":
    case "GetterProperty":
    case "SetterProperty":
      return node.key as Node;
    case "ClassProperty":
    case "PrivateProperty":
    case "KeyValueProperty":
      return isFunction(node.value) ? (node.key as Node) : undefined;
    case "VariableDeclarator":
      return isFunction(node.init) ? (node.id as Node) : undefined;
    default:
      return undefined;
  }
}

/** The name of an identifier, private ones too; empty for a name that is computed. */
const textOf = ({ value, id }: Node): string =>
  typeof value === "string" ? value : (((id as Node | undefined)?.value as string | undefined) ?? "");

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const isFunction = (value: unknown): boolean => isNode(value) && FUNCTION.test(value.type);

/** The nodes right below a node. Some are wrapped in an object without a type, such as a call's arguments. */
const childrenOf = (node: object): Node[] =>
  Object.values(node).flatMap((value) => {
    if (isNode(value)) return [value];
    return typeof value === "object" && value !== null ? childrenOf(value) : [];
  });

function leadsBack(name: string, mentions: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>();
  const ahead = [...(mentions.get(name) ?? [])];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next === name) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    ahead.push(...(mentions.get(next) ?? []));
  }
  return false;
}
