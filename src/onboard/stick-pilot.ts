import type { Logger } from "../platform/log";
import type { VehicleIdentity } from "../vehicle";
import type { Autopilot } from "./autopilot";
import { Freshness, type Refusal } from "./freshness";
import type { Arrival } from "./inbox";
import { fliesBySticks, manualControl, NEUTRAL, stoppingModes } from "./manual-control";
import { readStickFrame, type StickFrame } from "./stick-frame";

export const DEAD_MAN_MS = 500;
const NEUTRAL_EVERY_MS = 50;
/** Neutral sticks count as a sign of the pilot's life on the vehicle: they end, stopped or not. */
const NEUTRAL_FOR_MS = 2_000;

/**
 * idle:     nothing is sent. No pilot has steered yet, or the dead-man's work is done.
 * steering: each fresh frame is sent on at once; never one twice, never an old one.
 * stopping: no fresh frame for half a second: sticks are centred while the vehicle is brought into a mode in
 *           which it stops by itself, for two seconds at most; a fresh frame takes over at once.
 */
export type PilotState = "idle" | "steering" | "stopping";

/** What is said of a frame, on the drone's `output` channel. */
export interface Acknowledgement {
  readonly type: "ack";
  readonly session: string | null;
  readonly t: number | null;
  readonly accepted: boolean;
  readonly reason: Refusal | "invalid" | "no_vehicle" | null;
  readonly detail?: string;
  /** Milliseconds; null when it cannot be told. */
  readonly age_ms: number | null;
  readonly mode: string | null;
  readonly armed: boolean | null;
  readonly state: PilotState;
}

type Vehicle = Pick<Autopilot, "vehicle" | "mode" | "armed" | "send" | "setMode">;

export interface StickPilotOptions {
  readonly autopilot: Vehicle;
  readonly log: Logger;
  readonly acknowledge: (words: Acknowledgement) => void;
  readonly onState: (state: PilotState) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Turns stick frames into MANUAL_CONTROL, and stops the vehicle when they stop. */
export class StickPilot {
  private current: PilotState = "idle";
  private readonly freshness = new Freshness();
  private deadMan: NodeJS.Timeout | undefined;
  private neutral: NodeJS.Timeout | undefined;

  constructor(private readonly options: StickPilotOptions) {}

  get state(): PilotState {
    return this.current;
  }

  take(arrival: Arrival): void {
    const frame = readStickFrame(arrival.text);
    if (typeof frame === "string") {
      this.answer({ session: null, t: null, reason: "invalid", detail: frame, age_ms: null });
      return;
    }
    const { session, t } = frame;
    const { refused, ageMs } = this.freshness.judge(frame, arrival.askedAt, this.options.now());
    const reason = refused ?? (this.steer(frame) ? null : "no_vehicle");
    this.answer({ session, t, reason, age_ms: Number.isFinite(ageMs) ? Math.round(ageMs) : null });
  }

  /** Does the dead-man's work at once if somebody steers; resolves when it is done. */
  async letGo(): Promise<void> {
    if (this.current === "steering") await this.stopVehicle();
    clearTimeout(this.deadMan);
    clearInterval(this.neutral);
  }

  /** False without a vehicle. */
  private steer(frame: StickFrame): boolean {
    const { autopilot } = this.options;
    const { vehicle } = autopilot;
    if (!vehicle) return false;
    autopilot.send(manualControl(vehicle, frame));
    clearInterval(this.neutral);
    clearTimeout(this.deadMan);
    this.deadMan = setTimeout(() => void this.stopVehicle(), DEAD_MAN_MS);
    this.become("steering");
    return true;
  }

  private async stopVehicle(): Promise<void> {
    const { autopilot, log } = this.options;
    clearTimeout(this.deadMan);
    this.become("stopping");
    const { vehicle, mode, armed } = autopilot;
    if (!vehicle) {
      this.become("idle");
      return;
    }
    const centring = this.centre(vehicle);
    if (armed && mode !== undefined && fliesBySticks(vehicle, mode)) {
      log.warn({ mode }, "no fresh stick frame: stopping the vehicle");
      await this.enterStoppingMode(stoppingModes(vehicle));
    }
    clearInterval(centring);
    // A pilot who came back meanwhile steers.
    if (this.neutral === centring && this.current === "stopping") this.become("idle");
  }

  private centre(vehicle: VehicleIdentity): NodeJS.Timeout {
    const { autopilot, now } = this.options;
    const since = now();
    const send = () => autopilot.send(manualControl(vehicle, NEUTRAL));
    send();
    clearInterval(this.neutral);
    const centring = setInterval(() => {
      if (now() - since > NEUTRAL_FOR_MS) clearInterval(centring);
      else send();
    }, NEUTRAL_EVERY_MS);
    this.neutral = centring;
    return centring;
  }

  private async enterStoppingMode(modes: readonly string[]): Promise<void> {
    const { autopilot, log } = this.options;
    for (const mode of modes) {
      // A pilot who came back steers: no other mode is tried.
      if (this.current !== "stopping") return;
      try {
        await autopilot.setMode(mode);
        log.warn({ mode }, "the vehicle stops");
        return;
      } catch (error) {
        log.error({ err: error, mode }, "the vehicle does not take a mode in which it stops");
      }
    }
  }

  private become(state: PilotState): void {
    if (state === this.current) return;
    this.current = state;
    this.options.onState(state);
  }

  private answer(words: Pick<Acknowledgement, "session" | "t" | "reason" | "age_ms" | "detail">): void {
    const { autopilot, acknowledge } = this.options;
    acknowledge({
      type: "ack",
      ...words,
      accepted: words.reason === null,
      mode: autopilot.mode ?? null,
      armed: autopilot.armed ?? null,
      state: this.current,
    });
  }
}
