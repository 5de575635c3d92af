import { computed, signal } from "@preact/signals";
import { readNumber } from "../../../parts/number";
import { isSameParam } from "./param-file";

/** A parameter of the vehicle, and what the user entered in its place. */
export interface ParamRow {
  readonly name: string;
  /** As read from the vehicle. null: it is not a number. */
  readonly value: number | null;
  /** As entered, unchecked; undefined when nothing was. */
  readonly entered: string | undefined;
  readonly state: "same" | "changed" | "invalid";
}

/** Parameters as they were read, and the changes that were not written yet. */
export class ParamEdits {
  private readonly read = signal<ReadonlyMap<string, number | null>>(new Map());
  private readonly entered = signal<ReadonlyMap<string, string>>(new Map());

  readonly isRead = computed(() => this.read.value.size > 0);
  readonly rows = computed<readonly ParamRow[]>(() =>
    [...this.read.value].map(([name, value]) => rowOf(name, value, this.entered.value.get(name))),
  );
  readonly changed = computed(() => this.rows.value.filter(({ state }) => state === "changed"));
  readonly invalid = computed(() => this.rows.value.filter(({ state }) => state === "invalid"));

  /** All that the vehicle has. What was entered stays. */
  replace(params: Iterable<readonly [name: string, value: number | null]>): void {
    this.read.value = new Map([...params].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.forgetSame();
  }

  /** What the vehicle has of some. */
  update(params: Iterable<readonly [name: string, value: number | null]>): void {
    this.read.value = new Map([...this.read.peek(), ...params]);
    this.forgetSame();
  }

  enter(name: string, text: string): void {
    this.entered.value = new Map([...this.entered.peek(), [name, text]]);
  }

  /** Takes the value of the vehicle again. */
  undo(name: string): void {
    this.entered.value = new Map([...this.entered.peek()].filter(([entered]) => entered !== name));
  }

  undoAll(): void {
    this.entered.value = new Map();
  }

  /** The values of a file. Returns the names that the vehicle does not have. */
  enterFile(params: ReadonlyMap<string, number>): string[] {
    const known = this.read.peek();
    const found = [...params].filter(([name]) => known.has(name));
    this.entered.value = new Map([
      ...this.entered.peek(),
      ...found.map(([name, value]) => [name, String(value)] as const),
    ]);
    this.forgetSame();
    return [...params.keys()].filter((name) => !known.has(name));
  }

  private forgetSame(): void {
    const known = this.read.peek();
    this.entered.value = new Map(
      [...this.entered.peek()].filter(
        ([name, text]) => known.has(name) && rowOf(name, known.get(name) ?? null, text).state !== "same",
      ),
    );
  }
}

function rowOf(name: string, value: number | null, entered: string | undefined): ParamRow {
  if (entered === undefined) return { name, value, entered, state: "same" };
  const number = readNumber(entered);
  if (number === undefined) return { name, value, entered, state: "invalid" };
  return { name, value, entered, state: value !== null && isSameParam(number, value) ? "same" : "changed" };
}
