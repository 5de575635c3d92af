import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
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
 * Between two tries to stop a vehicle that did not take the mode. The pauses grow beyond the five seconds after
 * which ArduPilot's own ground-station failsafe acts as delivered: our orders never keep it from acting.
 */
const AGAIN_MS = 500;
const AGAIN_MOST_MS = 10_000;
/** A vehicle that is not heard is looked for this often. */
const LOOK_MS = 50;
/** An agent that ends waits so long for the vehicle to stop. */
const LET_GO_MS = 3_000;

/**
 * idle:     nothing is sent. No pilot has steered yet, or the dead-man's work is done.
 * steering: each fresh frame is sent on at once; never one twice, never an old one.
 * stopping: no fresh frame for half a second: sticks are centred for two seconds at most, and the order into a
 *           mode in which the vehicle stops by itself is given until it is taken, also when the vehicle has to be
 *           heard again first. A fresh frame takes over at once; so does any mode that sticks do not fly.
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
  /** Told apart from the stops before it, which a pilot's return has ended. */
  private stop: AbortController | undefined;
  private stopping: Promise<void> | undefined;

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

  /** Does the dead-man's work at once if somebody steers; resolves when it is done, or after three seconds. */
  async letGo(): Promise<void> {
    const stopped = this.current === "steering" ? this.stopVehicle() : this.stopping;
    await Promise.race([stopped, delay(LET_GO_MS, undefined, { ref: false })]);
    clearTimeout(this.deadMan);
    this.endStop();
  }

  /** False without a vehicle. */
  private steer(frame: StickFrame): boolean {
    const { autopilot } = this.options;
    const { vehicle } = autopilot;
    if (!vehicle) return false;
    autopilot.send(manualControl(vehicle, frame));
    this.endStop();
    clearTimeout(this.deadMan);
    this.deadMan = setTimeout(() => void this.stopVehicle(), DEAD_MAN_MS);
    this.become("steering");
    return true;
  }

  private stopVehicle(): Promise<void> {
    clearTimeout(this.deadMan);
    this.endStop();
    const stop = new AbortController();
    this.stop = stop;
    this.become("stopping");
    this.centre();
    this.stopping = this.stopUntilDone(stop.signal).then(() => {
      if (stop.signal.aborted) return;
      this.endStop();
      this.become("idle");
    });
    return this.stopping;
  }

  private endStop(): void {
    this.stop?.abort();
    this.stop = undefined;
    clearInterval(this.neutral);
  }

  private async stopUntilDone(ended: AbortSignal): Promise<void> {
    let pauseMs = AGAIN_MS;
    while (!ended.aborted && !(await this.tryToStop(ended))) {
      const isHeard = this.options.autopilot.vehicle !== undefined;
      await delay(isHeard ? pauseMs : LOOK_MS, undefined, { signal: ended }).catch(() => undefined);
      if (isHeard) pauseMs = Math.min(pauseMs * 2, AGAIN_MOST_MS);
    }
  }

  /** Whether there is nothing more to do. */
  private async tryToStop(ended: AbortSignal): Promise<boolean> {
    const { autopilot, log } = this.options;
    const { vehicle, mode, armed } = autopilot;
    if (!vehicle || mode === undefined) return false;
    if (!armed || !fliesBySticks(vehicle, mode)) return true;
    log.warn({ mode }, "no fresh stick frame: stopping the vehicle");
    return this.enterStoppingMode(stoppingModes(vehicle), ended);
  }

  private centre(): void {
    const { autopilot, now } = this.options;
    const since = now();
    const send = () => {
      if (autopilot.vehicle) autopilot.send(manualControl(autopilot.vehicle, NEUTRAL));
    };
    send();
    const centring = setInterval(() => {
      if (now() - since > NEUTRAL_FOR_MS) clearInterval(centring);
      else send();
    }, NEUTRAL_EVERY_MS);
    this.neutral = centring;
  }

  private async enterStoppingMode(modes: readonly string[], ended: AbortSignal): Promise<boolean> {
    const { autopilot, log } = this.options;
    for (const mode of modes) {
      // A pilot who came back steers: no other mode is tried.
      if (ended.aborted) return true;
      try {
        await autopilot.setMode(mode);
        log.warn({ mode }, "the vehicle stops");
        return true;
      } catch (error) {
        log.error({ err: error, mode }, "the vehicle does not take a mode in which it stops");
      }
    }
    return false;
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
