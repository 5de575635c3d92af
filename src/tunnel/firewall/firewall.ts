import type { Os } from "../os/os";
import { type Backend, hostBackend, restoreCommand, saveCommand } from "./backend";
import { forgetRevoked } from "./conntrack";
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
  /** What the set holds, as far as we know. */
  private pairs: ReadonlySet<Pair> | undefined;

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

  /**
   * Make the set hold exactly these pairs, removals first; each is one atomic change, so the others' packets
   * notice nothing. With `verify` the kernel's own list is compared, otherwise what we last knew of it.
   * Resolves with how many elements were changed.
   */
  async setPairs(
    desired: ReadonlySet<Pair>,
    { verify }: { verify: boolean },
  ): Promise<{ opened: number; closed: number }> {
    const [opened, closed] =
      verify || !this.pairs ? await this.differenceInKernel(desired) : difference(desired, this.pairs);
    if (closed.length > 0 || opened.length > 0) {
      // Until the kernel has taken them all, what it holds is not known.
      this.pairs = undefined;
      const input = [
        ...closed.map((element) => `del ${PAIRS} ${element}`),
        ...opened.map((element) => `add ${PAIRS} ${element}`),
        "",
      ].join("\n");
      await this.os.run(["ipset", "restore", "-exist"], { input });
    }
    this.pairs = desired;
    return { opened: opened.length, closed: closed.length };
  }

  /** Forget known connections of pairs that are allowed no longer. */
  forgetRevoked(desired: ReadonlySet<Pair>): Promise<number> {
    return forgetRevoked(this.os, new Set([...desired].flatMap(elementsOf)));
  }

  private async differenceInKernel(
    desired: ReadonlySet<Pair>,
  ): Promise<[opened: string[], closed: string[]]> {
    const held = await this.readSet();
    const wanted = new Set([...desired].flatMap(elementsOf));
    return [
      [...wanted].filter((element) => !held.has(element)),
      [...held].filter((element) => !wanted.has(element)),
    ];
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

/** Elements to add and to delete, in this order. A port that two pairs of the same addresses share stays. */
function difference(desired: ReadonlySet<Pair>, known: ReadonlySet<Pair>): [string[], string[]] {
  const opened = [...desired].filter((pair) => !known.has(pair)).flatMap(elementsOf);
  const closed = [...known].filter((pair) => !desired.has(pair)).flatMap(elementsOf);
  const kept = new Set(opened);
  return [opened, closed.filter((element) => !kept.has(element))];
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
