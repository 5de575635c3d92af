import ts from "typescript";

/** Modules whose `setTimeout` and `setInterval` are waited for. */
const WAITED_FOR = /^(node:)?timers(\/promises)?$/;

/**
 * Whether a source file has a timer that may go off again and again: an interval, a pause within a loop, or a timeout
 * that leads, by what functions of the file name each other, back to where it was set. Names are all it goes by, so
 * that it finds too many rather than too few.
 */
export function hasRecurringTimer(source: string): boolean {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.Latest, true);
  const timers = timersOf(file);
  const mentions = new Map<string, Set<string>>();
  const set: { readonly by: ts.Node | undefined; readonly inLoop: boolean }[] = [];
  let recurs = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isOwnName(node)) {
      for (let owner = ownerOf(node); owner; owner = ownerOf(owner)) {
        const name = nameOf(owner) as string;
        mentions.set(name, (mentions.get(name) ?? new Set()).add(node.text));
      }
    }
    if (ts.isCallExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      const kind = timers.get(called.getText(file));
      if (kind === "interval") recurs = true;
      if (kind === "timeout") set.push({ by: ownerOf(node), inLoop: isInLoop(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return (
    recurs ||
    set.some(({ by, inLoop }) => inLoop || (by !== undefined && leadsBack(nameOf(by) as string, mentions)))
  );
}

/** What the file calls its timers. */
function timersOf(file: ts.SourceFile): Map<string, "interval" | "timeout"> {
  const timers = new Map<string, "interval" | "timeout">([
    ["setInterval", "interval"],
    ["setTimeout", "timeout"],
  ]);
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    if (!WAITED_FOR.test((statement.moduleSpecifier as ts.StringLiteral).text)) continue;
    const named = statement.importClause?.namedBindings;
    if (!named || !ts.isNamedImports(named)) continue;
    for (const { name, propertyName } of named.elements) {
      const kind = timers.get((propertyName ?? name).text);
      if (kind) timers.set(name.text, kind);
    }
  }
  return timers;
}

/** The name by which a function, method or accessor is called, or undefined for anything else. */
function nameOf(node: ts.Node): string | undefined {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node)) && node.name)
    return node.name.getText();
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return undefined;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : undefined;
}

/** In `function again() {}` the name is no mention of it. */
const isOwnName = (node: ts.Identifier): boolean =>
  nameOf(node.parent) !== undefined && (node.parent as ts.FunctionDeclaration).name === node;

/** The innermost function with a name that the node is in. */
function ownerOf(node: ts.Node): ts.Node | undefined {
  let at: ts.Node | undefined = node.parent;
  while (at && nameOf(at) === undefined) at = at.parent;
  return at;
}

function isInLoop(node: ts.Node): boolean {
  const owner = ownerOf(node);
  for (let at: ts.Node | undefined = node.parent; at && at !== owner; at = at.parent)
    if (ts.isIterationStatement(at, false)) return true;
  return false;
}

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
