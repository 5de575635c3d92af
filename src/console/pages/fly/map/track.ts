import { type ReadonlySignal, signal } from "@preact/signals";
import { type LatLng, metresBetween } from "../../../map/features";

/** Metres between two positions that are drawn. */
const STEP = 1;
const MOST = 2_000;

/** Where the vehicle was since the page was opened. A long flight is drawn by fewer positions. */
export class Track {
  private readonly kept = signal<readonly LatLng[]>([]);
  private step = STEP;

  get positions(): ReadonlySignal<readonly LatLng[]> {
    return this.kept;
  }

  add(position: LatLng): void {
    const kept = this.kept.peek();
    const last = kept.at(-1);
    if (last && metresBetween(last, position) < this.step) return;
    this.kept.value = [...kept, position];
    if (kept.length < MOST) return;
    this.step *= 2;
    this.kept.value = this.kept.peek().filter((_, at) => at % 2 === 0);
  }

  clear(): void {
    this.kept.value = [];
    this.step = STEP;
  }
}
