import type { Os } from "../os/os";
import { countElements, elementsOf, type Pair } from "./pairs";
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

/** The ipset of open pairs. Calls of `set` must not overlap. */
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
    const changes = { opened: opened.length, closed: closed.size, withheld: withheld.size };
    if (open && edits.length === 0) return changes;
    // Not known while a write is under way or has failed.
    this.open = undefined;
    if (edits.length > 0) await this.os.run(["ipset", "restore", "-exist"], { input: edits.join("") });
    this.open = withheld.size === 0 ? desired : new Set([...desired].filter((pair) => !withheld.has(pair)));
    return changes;
  }

  /**
   * Compare the kernel's set with ours: its number of elements, or `thorough`ly each element. When they differ, the
   * next `set` reads the kernel's again. May run beside `set`, since reading a large set takes long; a set that was
   * written meanwhile is compared the next time.
   */
  async inspect(thorough: boolean): Promise<void> {
    const { open } = this;
    if (!open) return;
    const isSame = thorough ? await this.holds(open) : (await this.count()) === totalOf(open);
    if (!isSame && this.open === open) this.open = undefined;
  }

  private async holds(open: ReadonlySet<Pair>): Promise<boolean> {
    const held = await this.read();
    if (held.size !== totalOf(open)) return false;
    for (const pair of open) if (!elementsOf(pair).every((element) => held.has(element))) return false;
    return true;
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

const totalOf = (pairs: ReadonlySet<Pair>): number =>
  [...pairs].reduce((total, pair) => total + countElements(pair), 0);
