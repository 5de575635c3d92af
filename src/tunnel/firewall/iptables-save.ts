import type { OwnChain } from "./rules";

/** What `iptables-save -t TABLE` says of our chains. */
export interface SavedTable {
  /** The rules of each of our chains, as saved; a chain that is missing has no entry. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  /** The rules of each built-in chain that a jump of ours belongs to. */
  readonly hooks: ReadonlyMap<string, readonly string[]>;
}

export function readSaved(text: string): SavedTable {
  const own = new Map<string, string[]>();
  const hooks = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, declared] = /^:(\S+)/.exec(line) ?? [];
    if (declared) (isOurs(declared) ? own : hooks).set(declared, []);
    const [, chain, rule] = /^-A (\S+) (.*)$/.exec(line) ?? [];
    if (chain && rule) (isOurs(chain) ? own : hooks).get(chain)?.push(rule);
  }
  return { own, hooks };
}

const isOurs = (chain: string): boolean => chain.startsWith("FLEET-");

export const jumpTo = ({ name }: Pick<OwnChain, "name">): string => `-j ${name}`;

/** Our jump is there once, and nothing comes before it. */
export function isFirst(saved: SavedTable, chain: OwnChain): boolean {
  const rules = saved.hooks.get(chain.hook) ?? [];
  return rules[0] === jumpTo(chain) && rules.lastIndexOf(jumpTo(chain)) === 0;
}

/** The part of an `iptables-restore --noflush` transaction for one table. */
export function restoreText(
  table: OwnChain["table"],
  chains: readonly OwnChain[],
  saved: SavedTable,
): string {
  return [
    `*${table}`,
    ...chains.map(({ name }) => `:${name} - [0:0]`),
    ...chains.flatMap(({ name, rules }) => rules.map((rule) => `-A ${name} ${rule}`)),
    ...chains.flatMap((chain) => {
      if (isFirst(saved, chain)) return [];
      const stale = (saved.hooks.get(chain.hook) ?? []).filter((rule) => rule === jumpTo(chain));
      return [...stale.map((rule) => `-D ${chain.hook} ${rule}`), `-I ${chain.hook} 1 ${jumpTo(chain)}`];
    }),
    "COMMIT",
    "",
  ].join("\n");
}

/** The transaction that takes everything of ours out of a table, or nothing when there is nothing. */
export function teardownText(table: OwnChain["table"], saved: SavedTable): string | undefined {
  const names = [...saved.own.keys()];
  const jumps = [...saved.hooks].flatMap(([hook, rules]) =>
    rules
      .filter((rule) => names.some((name) => rule === jumpTo({ name })))
      .map((rule) => `-D ${hook} ${rule}`),
  );
  if (names.length === 0) return undefined;
  return [
    `*${table}`,
    ...jumps,
    ...names.map((name) => `-F ${name}`),
    ...names.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}
