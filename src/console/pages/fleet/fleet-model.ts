import {
  batch,
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import type { components } from "../../../client/api-types";
import type { Live, Snapshot } from "../../live/live";
import { now } from "../../parts/now";
import { type DroneStatus, type FilterName, filterNames, filters, hasLink, statusOf } from "./drone-status";
import type { KeptLinks } from "./kept-links";

export type Drone = components["schemas"]["Drone"];

/** The texts of the list change about so often at most: it is read, not watched. */
const PACE_MS = 400;
/** What comes so much earlier than that is shown, not what came before it. */
const EARLY_MS = 50;

/** Before the API has listed them. */
const NOT_LISTED: readonly Drone[] = [];

/** By name, with numbers in them by their value. */
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/**
 * The drones of the page: what the API lists, their newest states, what is shown of them and which one is selected. Each
 * drone has a signal of its own, so that a state that changes draws its own row and no other.
 */
export class FleetModel {
  readonly drones = signal(NOT_LISTED);
  readonly selectedId = signal<number | undefined>(undefined);
  readonly filter = signal<FilterName>("all");
  readonly name = signal("");
  /** Of the physical drones that were added while the page is open. No reply shows them again. */
  readonly activationTokens = new Map<number, string>();
  private readonly snapshots = new Map<number, Signal<Snapshot | undefined>>();
  private listed: readonly Drone[] = [];

  constructor(
    private readonly fleet: Live["fleet"],
    readonly links: KeptLinks,
  ) {}

  /** Follows the fleet until the returned function is called. */
  start(): () => void {
    let shownAt = Number.NEGATIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      shownAt = performance.now();
      const fleet = this.fleet.peek();
      batch(() => {
        for (const { id } of this.drones.peek()) this.cell(id).value = fleet?.get(id);
      });
    };
    const end = effect(() => {
      this.fleet.value;
      this.drones.value;
      clearTimeout(timer);
      const wait = shownAt + PACE_MS - performance.now();
      if (wait < EARLY_MS) untracked(show);
      // Unless something newer comes meanwhile.
      else timer = setTimeout(show, wait + EARLY_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }

  readonly selected = computed(() => this.drones.value.find(({ id }) => id === this.selectedId.value));

  /** In the order of their names. The same array as before as long as they are the same drones. */
  readonly shown: ReadonlySignal<readonly Drone[]> = computed(() => {
    const wanted = this.name.value.trim().toLocaleLowerCase();
    const accepts = filters[this.filter.value];
    const isAll = this.filter.value === "all";
    const found = this.ordered.value.filter(
      ({ id, name }) =>
        name.toLocaleLowerCase().includes(wanted) &&
        (isAll || accepts(this.statusOf(id), this.snapshotOf(id).value)),
    );
    const isSame = found.length === this.listed.length && found.every((one, at) => one === this.listed[at]);
    if (!isSame) this.listed = found;
    return this.listed;
  });

  /** Of all drones, whatever is shown. */
  readonly counts: ReadonlySignal<Readonly<Record<FilterName, number>>> = computed(() => {
    const counts = Object.fromEntries(filterNames.map((name) => [name, 0])) as Record<FilterName, number>;
    for (const { id } of this.drones.value) {
      const [status, snapshot] = [this.statusOf(id), this.snapshotOf(id).value];
      for (const name of filterNames) if (filters[name](status, snapshot)) counts[name] += 1;
    }
    return counts;
  });

  /** Whether the gateway tells of other drones than those that are listed: one was added or deleted elsewhere. */
  readonly isOutdated: ReadonlySignal<boolean> = computed(() => {
    const [fleet, drones] = [this.fleet.value, this.drones.value];
    if (fleet === undefined || drones === NOT_LISTED) return false;
    return fleet.size !== drones.length || drones.some(({ id }) => !fleet.has(id));
  });

  /** How many of the drones that are shown have no link, and are not being dialled. */
  readonly unlinkedCount: ReadonlySignal<number> = computed(() => this.unlinked().length);

  unlinked(): readonly Drone[] {
    return this.shown.value.filter(
      ({ id }) => !hasLink(this.statusOf(id)) && this.links.attemptOf(id).value?.state !== "connecting",
    );
  }

  /** The newest, of which the map shows each. Undefined until the drone's state came. */
  newestOf(id: number): Snapshot | undefined {
    return this.fleet.value?.get(id);
  }

  /** What the list shows. */
  snapshotOf(id: number): ReadonlySignal<Snapshot | undefined> {
    return this.cell(id);
  }

  /** As of now: what reads it is drawn again when it grows old. */
  statusOf(id: number): DroneStatus {
    return statusOf(this.cell(id).value, now.value);
  }

  select(id: number | undefined): void {
    this.selectedId.value = id;
  }

  private readonly ordered = computed(() =>
    this.drones.value.toSorted((a, b) => byName.compare(a.name, b.name) || a.id - b.id),
  );

  private cell(id: number): Signal<Snapshot | undefined> {
    const known = this.snapshots.get(id);
    if (known) return known;
    const cell = signal(this.fleet.peek()?.get(id));
    this.snapshots.set(id, cell);
    return cell;
  }
}
