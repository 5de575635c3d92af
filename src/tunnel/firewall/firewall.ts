import type { Os } from "../os/os";
import { type Backend, hostBackend, restoreCommand, saveCommand } from "./backend";
import { forgetRevoked } from "./conntrack";
import { countElements, difference, differenceInKernel } from "./difference";
import { elementsOf, type Pair } from "./pairs";
import { type OwnChain, ownChains, PAIRS, type RuleSettings } from "./rules";
import { isFirst, readSaved, restoreText, type SavedTable, teardownText } from "./saved";

const tables = ["filter", "mangle"] as const;
type Table = (typeof tables)[number];
type SavedTables = Readonly<Record<Table, SavedTable>>;

const CREATE_SET = `create ${PAIRS} hash:ip,port,ip family inet maxelem 1048576`;

/**
 * The hub's firewall: our own chains, which change with the settings only, and one set of pairs, which changes
 * with the fleet. Nothing that is not ours is ever flushed or replaced.
 */
export class Firewall {
  private backend: Backend | undefined;
  private readonly chains: readonly OwnChain[];
  /** Our chains as the kernel printed them after we had set them. */
  private accepted: string | undefined;
  /** The pairs that the set holds all elements of, as far as we know. */
  private pairs: ReadonlySet<Pair> | undefined;
  /** Elements that the last look at the set found too many or missing. */
  private suspects: readonly string[] = [];
  /** For each look that is under way, what was edited since it began. */
  private readonly editedSince = new Set<Set<string>>();

  constructor(
    private readonly os: Os,
    settings: RuleSettings,
  ) {
    this.chains = ownChains(settings);
  }

  /**
   * Put our chains up, first in their hooks, when they are not so already. One transaction per table: no
   * packet meets half of it. Resolves with what was changed, for the log.
   */
  async ensureRules(): Promise<string | undefined> {
    this.backend ??= await hostBackend(this.os);
    await this.os.run(["ipset", "restore", "-exist"], { input: `${CREATE_SET}\n` });
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
      ? "our chains had been changed by somebody else"
      : `${displaced.map(({ table, hook }) => `${table} ${hook}`).join(", ")} did not begin with our chain`;
  }

  /** Whether the pair is open, as far as we know. */
  holds(pair: Pair): boolean {
    return this.pairs?.has(pair) ?? false;
  }

  /**
   * Make the set hold these pairs and no others, removals first; each is one atomic change, so the others'
   * packets notice nothing. A pair that is not open yet is opened only when it may be. Not to be called again
   * before it has settled. Resolves with how many elements were changed and how many pairs were withheld.
   */
  async setPairs(
    desired: ReadonlySet<Pair>,
    mayOpen: (pair: Pair) => boolean = () => true,
  ): Promise<{ opened: number; closed: number; withheld: number }> {
    if (desired === this.pairs && this.suspects.length === 0) return { opened: 0, closed: 0, withheld: 0 };
    const { opened, closed, withheld } = this.pairs
      ? difference(desired, this.pairs, mayOpen)
      : differenceInKernel(desired, await this.readSet(), mayOpen);
    if (this.suspects.length > 0) {
      // Each is made what it should be, whatever it was: what was found may have been put right since.
      const wanted = new Set([...desired].flatMap(elementsOf));
      for (const element of this.suspects) (wanted.has(element) ? opened : closed).add(element);
      this.suspects = [];
    }
    if (closed.size > 0 || opened.size > 0) {
      // Until the kernel has taken them all, what it holds is not known.
      this.pairs = undefined;
      for (const edited of this.editedSince)
        for (const element of [...closed, ...opened]) edited.add(element);
      const input = [
        ...[...closed].map((element) => `del ${PAIRS} ${element}`),
        ...[...opened].map((element) => `add ${PAIRS} ${element}`),
        "",
      ].join("\n");
      await this.os.run(["ipset", "restore", "-exist"], { input });
    }
    this.pairs = withheld.size === 0 ? desired : new Set([...desired].filter((pair) => !withheld.has(pair)));
    return { opened: opened.size, closed: closed.size, withheld: withheld.size };
  }

  /**
   * Compare the set with what we know of it, `thorough`ly or by its size; it may run beside `setPairs`, and
   * changes nothing. Resolves with whether the next `setPairs` has something to put right.
   */
  async inspectPairs(thorough: boolean): Promise<boolean> {
    if (!this.pairs) return false;
    const edited = new Set<string>();
    this.editedSince.add(edited);
    try {
      if (!thorough && (await this.countSet()) === countElements(this.pairs)) return false;
      if (edited.size > 0) return false;
      const held = await this.readSet();
      if (!this.pairs) return false;
      const { opened, closed } = differenceInKernel(this.pairs, held, () => true);
      this.suspects = [...opened, ...closed].filter((element) => !edited.has(element));
      return this.suspects.length > 0;
    } finally {
      this.editedSince.delete(edited);
    }
  }

  /** Forget known connections of pairs that are allowed no longer. */
  forgetRevoked(desired: ReadonlySet<Pair>): Promise<number> {
    return forgetRevoked(this.os, desired);
  }

  private async countSet(): Promise<number> {
    const text = await this.os.run(["ipset", "list", "-terse", PAIRS]);
    return Number(/^Number of entries: (\d+)$/m.exec(text)?.[1]);
  }

  private async readSet(): Promise<Set<string>> {
    await this.os.run(["ipset", "restore", "-exist"], { input: `${CREATE_SET}\n` });
    const text = await this.os.run(["ipset", "save", PAIRS]);
    const head = `add ${PAIRS} `;
    return new Set(
      text
        .split("\n")
        .filter((line) => line.startsWith(head))
        .map((line) => line.slice(head.length)),
    );
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

/** Take out what is ours, whichever backend it is in, and nothing else. Resolves with what was removed. */
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
