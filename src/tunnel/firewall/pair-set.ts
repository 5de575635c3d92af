import type { Os } from "../os/os";
import { elementsOf, type Pair } from "./pairs";
import { PAIRS } from "./policy";

const CREATE_SET = `create ${PAIRS} hash:ip,port,ip family inet maxelem 1048576\n`;

interface PairChanges {
  /** Elements that were added and deleted. */
  readonly opened: number;
  readonly closed: number;
  /** Pairs that may not be opened yet. */
  readonly withheld: number;
}

/** Create the set when it is missing. The rules match on it. */
export const ensureSet = (os: Os): Promise<string> =>
  os.run(["ipset", "restore", "-exist"], { input: CREATE_SET });

/** The ipset of open pairs. Its calls must not overlap. */
export class PairSet {
  /** The pairs whose elements, and no others, are in the kernel; undefined while that is not known. */
  private open: ReadonlySet<Pair> | undefined;

  constructor(private readonly os: Os) {}

  /**
   * Make the set hold these pairs and no others, removals first. Each change is atomic and touches no other pair. A
   * pair of which no element is in the set is opened only when it `mayOpen`.
   */
  async set(desired: ReadonlySet<Pair>, mayOpen: (pair: Pair) => boolean = () => true): Promise<PairChanges> {
    const { open } = this;
    const wanted = open ? [...desired].filter((pair) => !open.has(pair)) : [...desired];
    const closed = open
      ? new Set([...open].filter((pair) => !desired.has(pair)).flatMap(elementsOf))
      : await this.read();
    const opened: string[] = [];
    const withheld = new Set<Pair>();
    for (const pair of wanted) {
      const elements = elementsOf(pair);
      const missing = elements.filter((element) => !closed.delete(element));
      if (missing.length === elements.length && !mayOpen(pair)) withheld.add(pair);
      else opened.push(...missing);
    }
    const edits = [
      ...[...closed].map((element) => `del ${PAIRS} ${element}\n`),
      ...opened.map((element) => `add ${PAIRS} ${element}\n`),
    ];
    // Not known while a write is under way or has failed.
    this.open = undefined;
    if (edits.length > 0) await this.os.run(["ipset", "restore", "-exist"], { input: edits.join("") });
    this.open = withheld.size === 0 ? desired : new Set([...desired].filter((pair) => !withheld.has(pair)));
    return { opened: opened.length, closed: closed.size, withheld: withheld.size };
  }

  /**
   * Compare the kernel's set with ours: its number of elements, or `thorough`ly each element. When they differ, the
   * next `set` reads the kernel's again.
   */
  async inspect(thorough: boolean): Promise<void> {
    if (!this.open) return;
    const expected = [...this.open].flatMap(elementsOf);
    if (!thorough && (await this.count()) === expected.length) return;
    const held = await this.read();
    if (held.size !== expected.length || expected.some((element) => !held.has(element)))
      this.open = undefined;
  }

  private async count(): Promise<number> {
    const text = await this.os.run(["ipset", "list", "-terse", PAIRS]);
    return Number(/^Number of entries: (\d+)$/m.exec(text)?.[1]);
  }

  private async read(): Promise<Set<string>> {
    await ensureSet(this.os);
    const text = await this.os.run(["ipset", "save", PAIRS]);
    const head = `add ${PAIRS} `;
    return new Set(
      text
        .split("\n")
        .filter((line) => line.startsWith(head))
        .map((line) => line.slice(head.length)),
    );
  }
}
