import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { lastRow, modeAt, rowAt, type Track } from "./track";

/** Seconds since the flight began. */
export type Span = readonly [from: number, to: number];

/** Seconds. Plots are not zoomed to less. */
const SHORTEST_SPAN = 5;

/** What map, plots and list of a flight have in common: the moment that is looked at, and the part that plots show. */
export class FlightView {
  /** Seconds since the flight began. Undefined: the newest moment, also while the track grows. */
  readonly cursor = signal<number | undefined>(undefined);
  /** Undefined: the whole flight. */
  private readonly zoomed = signal<Span | undefined>(undefined);

  constructor(readonly track: ReadonlySignal<Track>) {}

  readonly row = computed(() => {
    const { value: at } = this.cursor;
    return at === undefined ? lastRow(this.track.value) : rowAt(this.track.value, at);
  });

  /** Seconds of the row. */
  readonly time = computed(() => this.track.value.seconds[this.row.value] ?? 0);

  readonly mode = computed(() => modeAt(this.track.value, this.time.value));

  readonly whole = computed<Span>(() => {
    const { seconds } = this.track.value;
    const from = Math.min(0, seconds[0] ?? 0);
    return [from, Math.max(from + 1, seconds.at(-1) ?? 0)];
  });

  readonly span = computed<Span>(() => this.zoomed.value ?? this.whole.value);

  get isZoomed(): boolean {
    return this.zoomed.value !== undefined;
  }

  pointTo(row: number): void {
    this.cursor.value = this.track.peek().seconds[row];
  }

  showWhole(): void {
    this.zoomed.value = undefined;
  }

  show([from, to]: Span): void {
    const [least, most] = this.whole.peek();
    const length = Math.max(SHORTEST_SPAN, to - from);
    const begin = Math.min(Math.max(from, least), most - length);
    this.zoomed.value = length >= most - least ? undefined : [begin, begin + length];
  }

  /** Shows so many times the part that is shown, with the cursor in its middle. */
  zoom(factor: number): void {
    const [from, to] = this.span.peek();
    const half = ((to - from) * factor) / 2;
    this.show([this.time.peek() - half, this.time.peek() + half]);
  }
}
