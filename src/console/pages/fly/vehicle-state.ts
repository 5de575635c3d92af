import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Frame, type FrameData, type FrameType, linkAge, type Snapshot } from "../../live/live";
import type { LatLng } from "../../map/features";
import { now } from "../../parts/now";
import { MessageLog } from "./instruments/message-log";
import { Track } from "./map/track";

/** A value, and when it came: milliseconds of `performance.now()`. */
export interface Timed<Value> {
  readonly value: Value;
  readonly at: number;
  /** After so many milliseconds it is old. */
  readonly lateMs?: number;
}
export type TimedSignal<Value> = ReadonlySignal<Timed<Value> | undefined>;

/** Types of which the newest frame counts. */
type StateType = Exclude<FrameType, "logs">;
type Newest<Type extends FrameType> = Signal<Timed<FrameData<Type>> | undefined>;

/** Positions come ten times a second: a pause of this length is a lost link. */
const SILENT_MS = 1_200;
/** What comes once a second may be late while the rest comes. */
const LATE_MS = 3_000;
/** What comes more often is old within two seconds, which the page looks at twice a second. */
const SOON_LATE_MS = 1_500;
const soonLate: ReadonlySet<FrameType> = new Set(["gps", "relalt", "hud", "imu"]);

const nothing = <Type extends FrameType>(): Newest<Type> => signal(undefined);

/**
 * What a drone said last, and when. Before its first frame it is what the fleet's state says, which may be old.
 *
 * `isLive`: frames come. Otherwise everything is shown as old, with its age.
 */
export class VehicleState {
  readonly newest: { readonly [Type in StateType]: Newest<Type> } = {
    gps: nothing(),
    raw_gps: nothing(),
    home: nothing(),
    relalt: nothing(),
    hud: nothing(),
    imu: nothing(),
    diagnostics: nothing(),
    mission: nothing(),
    params: nothing(),
    system: nothing(),
  };
  readonly messages = new MessageLog();
  readonly track = new Track();
  private readonly live = signal(false);
  private readonly known = signal<Snapshot | undefined>(undefined);
  private readonly armings = signal<Timed<boolean> | undefined>(undefined);
  private heardAt = Number.NEGATIVE_INFINITY;
  private readonly endWatch: () => void;

  readonly armed = this.orKnown(
    this.newest.system,
    ({ armed }) => armed,
    ({ armed }) => armed,
  );
  readonly mode = this.orKnown(
    this.newest.system,
    ({ mode }) => mode,
    ({ mode }) => mode,
  );
  readonly voltage = this.orKnown(
    this.newest.system,
    ({ battery }) => battery.voltage,
    ({ battery }) => battery?.voltage,
  );
  readonly batteryLeft = this.orKnown(
    this.newest.system,
    ({ battery }) => battery.remaining,
    ({ battery }) => battery?.remaining,
  );
  readonly height = this.orKnown(
    this.newest.relalt,
    ({ data }) => data,
    ({ position }) => position?.relative_altitude,
  );
  readonly position: TimedSignal<LatLng> = this.orKnown(
    this.newest.gps,
    ({ latitude, longitude }) => ({ lat: latitude, lng: longitude }),
    ({ position }) => position && { lat: position.latitude, lng: position.longitude },
  );
  readonly heading = this.orKnown(
    this.newest.hud,
    ({ heading }) => heading,
    ({ position }) => position?.heading,
  );
  readonly mission = this.orKnown(
    this.newest.mission,
    (mission): Omit<FrameData<"mission">, "writes"> => mission,
    ({ mission }) => mission && { ...mission, distance: null },
  );

  constructor() {
    this.endWatch = effect(() => {
      now.value;
      if (performance.now() - this.heardAt > SILENT_MS) this.live.value = false;
    });
  }

  end(): void {
    this.endWatch();
  }

  get isLive(): ReadonlySignal<boolean> {
    return this.live;
  }

  /** Since when the motors run. `value` is false when it was armed before the page was opened. Undefined while disarmed. */
  get armedSince(): TimedSignal<boolean> {
    return this.armings;
  }

  /** Milliseconds since the vehicle was heard; undefined when it was not yet. */
  readonly silence = computed<number | undefined>(() => {
    const known = this.known.value;
    if (Number.isFinite(this.heardAt)) return Math.max(0, now.value - this.heardAt);
    return known && linkAge(known, now.value);
  });

  receive(frame: Frame): void {
    const at = performance.now();
    this.heardAt = at;
    this.live.value = true;
    if (frame.type === "logs") {
      this.messages.add(frame.data);
      return;
    }
    if (frame.type === "system") this.follow(frame.data.armed, at);
    // The union of types and data is one of pairs.
    (this.newest[frame.type] as Signal<Timed<unknown>>).value = {
      value: frame.data,
      at,
      lateMs: soonLate.has(frame.type) ? SOON_LATE_MS : LATE_MS,
    };
    if (frame.type === "gps") this.track.add({ lat: frame.data.latitude, lng: frame.data.longitude });
  }

  /** What the fleet's state says of it. */
  learn(snapshot: Snapshot | undefined): void {
    this.known.value = snapshot;
  }

  /** Whether a value is as new as it should be. */
  isFresh = (timed: Timed<unknown> | undefined): boolean =>
    this.live.value && timed !== undefined && now.value - timed.at < (timed.lateMs ?? LATE_MS);

  private follow(armed: boolean, at: number): void {
    const before = this.newest.system.peek()?.value.armed;
    if (!armed) this.armings.value = undefined;
    else if (!before) this.armings.value = { value: before === false, at };
  }

  private orKnown<Type extends StateType, Value>(
    newest: Newest<Type>,
    of: (data: FrameData<Type>) => Value,
    known: (state: Snapshot["state"]) => Value | null | undefined,
  ): TimedSignal<Value> {
    return computed(() => {
      const timed = newest.value;
      if (timed) return { ...timed, value: of(timed.value) };
      const snapshot = this.known.value;
      const value = snapshot && known(snapshot.state);
      if (!snapshot?.state.link || value === null || value === undefined) return undefined;
      return { value, at: snapshot.at - snapshot.state.link.age_ms };
    });
  }
}
