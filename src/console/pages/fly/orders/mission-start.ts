import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { VehicleState } from "../vehicle-state";

/** Metres below the height at which the takeoff is over. */
const NEARLY = 1;
/** PX4 leaves it when it is there, also for a mode that it has entered just before. */
const CLIMBING = "AUTO.TAKEOFF";
/** Telemetry of before the takeoff may come after the reply to its order. */
const SETTLE_MS = 1_500;

/**
 * The rest of a mission's start: the vehicle takes off in guided mode, and flies the mission when it is at its height. It
 * ends without that when the pilot gives another order, or the vehicle leaves the mode by itself.
 */
export class MissionStart {
  private readonly target = signal<number | undefined>(undefined);
  private endWatch = () => {};

  constructor(
    private readonly state: VehicleState,
    private readonly flyMission: () => Promise<unknown>,
  ) {}

  /** Metres above home to which it climbs; undefined when no start is under way. */
  get height(): ReadonlySignal<number | undefined> {
    return this.target;
  }

  readonly isUnderWay = computed(() => this.target.value !== undefined);

  /** `height` is undefined of a rover, which has nothing to climb. */
  begin(height: number | undefined): void {
    if (height === undefined) {
      void this.flyMission();
      return;
    }
    this.cancel();
    this.target.value = height;
    const settledAt = performance.now() + SETTLE_MS;
    this.endWatch = effect(() => {
      if (this.target.value === undefined) return;
      const [mode, reached] = [this.state.mode.value, this.state.height.value];
      if (!mode || !reached || !this.state.isFresh(mode) || !this.state.isFresh(reached)) return;
      const isLeft = this.state.armed.value?.value === false || !isTakeoff(mode.value);
      if (isLeft && mode.at > settledAt) this.target.value = undefined;
      if (isLeft || mode.value === CLIMBING || reached.value < height - NEARLY) return;
      this.target.value = undefined;
      void this.flyMission();
    });
  }

  cancel(): void {
    this.endWatch();
    this.endWatch = () => {};
    this.target.value = undefined;
  }
}

/** Of ArduPilot, and of PX4 on its way up and when it is there. */
const isTakeoff = (mode: string): boolean => mode === "GUIDED" || mode === CLIMBING || mode === "AUTO.LOITER";
