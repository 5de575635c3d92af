const builtIn: Readonly<Record<string, readonly string[]>> = {
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  mangle: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
};

/** The tables of one iptables backend, as far as `-save` and `-restore --noflush` with -A, -I, -D, -F, -X go. */
export class SimulatedTables {
  readonly tables = new Map<string, Map<string, string[]>>(
    Object.entries(builtIn).map(([table, chains]) => [table, new Map(chains.map((chain) => [chain, []]))]),
  );

  chain(table: string, chain: string): string[] | undefined {
    return this.tables.get(table)?.get(chain);
  }

  save(only?: string): string {
    return [...this.tables]
      .filter(([table]) => only === undefined || table === only)
      .map(([table, chains]) =>
        [
          `*${table}`,
          ...[...chains.keys()].map((chain) => `:${chain} - [0:0]`),
          ...[...chains].flatMap(([chain, rules]) => rules.map((rule) => `-A ${chain} ${rule}`)),
          "COMMIT\n",
        ].join("\n"),
      )
      .join("");
  }

  restore(text: string): void {
    let chains = new Map<string, string[]>();
    for (const line of text.split("\n")) {
      if (line.startsWith("*")) chains = this.tables.get(line.slice(1)) ?? chains;
      const [, declared] = /^:(\S+)/.exec(line) ?? [];
      if (declared) chains.set(declared, []);
      const [, verb, chain = "", rest = ""] = /^-(\w) (\S+) ?(.*)$/.exec(line) ?? [];
      const rules = chains.get(chain) ?? [];
      if (verb === "A") rules.push(rest);
      if (verb === "I") rules.unshift(rest.replace(/^1 /, ""));
      if (verb === "D") rules.splice(rules.indexOf(rest), 1);
      if (verb === "F") rules.length = 0;
      if (verb === "X") chains.delete(chain);
    }
  }
}
