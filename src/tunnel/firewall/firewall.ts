import type { Os } from "../os/os";
import { type Backend, hostBackend, restoreCommand, saveCommand } from "./backend";
import { isFirst, readSaved, restoreText, type SavedTable, teardownText } from "./iptables-save";
import { ensureSet } from "./pair-set";
import { PAIRS, type PolicySettings } from "./policy";
import { type OwnChain, ownChains } from "./rules";

const tables = ["filter", "mangle"] as const;
type Table = (typeof tables)[number];
type SavedTables = Readonly<Record<Table, SavedTable>>;

/** The hub's own chains, which change with the settings only. Rules of others are never flushed or replaced. */
export class Firewall {
  private backend: Backend | undefined;
  private readonly chains: readonly OwnChain[];
  /** Our chains as the kernel printed them after we had set them. */
  private accepted: string | undefined;

  constructor(
    private readonly os: Os,
    settings: PolicySettings,
  ) {
    this.chains = ownChains(settings);
  }

  /**
   * Set our chains, first in their hooks, unless they stand. One transaction per table: no packet meets half of it.
   * Resolves with what was changed, for the log.
   */
  async ensureRules(): Promise<string | undefined> {
    this.backend ??= await hostBackend(this.os);
    await ensureSet(this.os);
    const saved = await this.readTables(this.backend);
    const displaced = this.chains.filter((chain) => !isFirst(saved[chain.table], chain));
    const altered = printOwn(saved) !== this.accepted;
    if (!altered && displaced.length === 0) return undefined;
    const text = tables.map((table) =>
      restoreText(
        table,
        this.chains.filter((chain) => chain.table === table),
        saved[table],
      ),
    );
    await this.os.run(restoreCommand(this.backend), { input: text.join("") });
    const first = this.accepted === undefined;
    this.accepted = printOwn(await this.readTables(this.backend));
    if (first) return `our chains were set (${this.backend})`;
    return altered
      ? "our chains had been changed by other software"
      : `${displaced.map(({ table, hook }) => `${table} ${hook}`).join(", ")} did not begin with our chain`;
  }

  private async readTables(backend: Backend): Promise<SavedTables> {
    const [filter, mangle] = await Promise.all(
      tables.map((table) => this.os.run(saveCommand(backend, table))),
    );
    return { filter: readSaved(filter as string), mangle: readSaved(mangle as string) };
  }
}

const printOwn = (saved: SavedTables): string =>
  JSON.stringify(tables.map((table) => [...saved[table].own].sort(([a], [b]) => (a < b ? -1 : 1))));

/** Remove our chains, in either backend, and our set. Resolves with what was removed. */
export async function teardownFirewall(os: Os): Promise<string[]> {
  const removed: string[] = [];
  for (const backend of ["nft", "legacy"] as const) {
    for (const table of tables) {
      const saved = await os.run(saveCommand(backend, table)).catch(() => "");
      const text = teardownText(table, readSaved(saved));
      if (!text) continue;
      await os.run(restoreCommand(backend), { input: text });
      removed.push(`${backend} ${table} chains`);
    }
  }
  const sets = await os.run(["ipset", "list", "-name"]);
  if (sets.split("\n").includes(PAIRS)) {
    await os.run(["ipset", "destroy", PAIRS]);
    removed.push(`ipset ${PAIRS}`);
  }
  return removed;
}
