import { setTimeout as delay } from "node:timers/promises";
import type { Acknowledgement, StickFrame } from "../domain/pilot-frames";
import type { Logger } from "../platform/process/log";
import { backoffMs } from "../platform/retry";
import { fliesBySticks, stoppingModes } from "../vehicle/mavlink/modes";
import type { Autopilot } from "./autopilot";
import type { ChannelMessage } from "./drone-channels";
import { FrameAge } from "./frame-age";
import { manualControl, NEUTRAL } from "./manual-control";
import { readStickFrame } from "./stick-frame";

export const DEAD_MAN_MS = 500;
const NEUTRAL_EVERY_MS = 50;
/** Neutral sticks look like a pilot to the vehicle's failsafe, so they end, stopped or not. */
const NEUTRAL_FOR_MS = 2_000;
/**
 * Pause before the mode is set again on a vehicle that did not accept it. The pauses grow beyond the five seconds of
 * ArduPilot's default FS_GCS_TIMEOUT, so the vehicle's own failsafe can act.
 */
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/**
 * PX4 takes sticks that spring back for a pilot who takes over (COM_RC_OVERRIDE): it leaves a mode again that it enters
 * meanwhile, and would be told to land next.
 */
const PX4_CENTRED_MS = 500;
/** How often a disconnected vehicle is checked. */
const POLL_MS = 50;
/** An agent that stops waits this long for the vehicle to stop. */
const RELEASE_MS = 3_000;

/**
 * idle:     nothing is sent. No pilot has steered yet, or the dead-man timer has stopped the vehicle.
 * steering: each fresh frame is sent at once and once; old frames are not sent.
 * stopping: no fresh frame came for half a second. Sticks are centred for two seconds at most, and a mode in which the
 *           vehicle stops by itself is set until the vehicle accepts it, also after its link was lost. A fresh frame, or
 *           a mode that sticks do not fly, ends it at once.
 */
type PilotState = Acknowledgement["state"];

type Vehicle = Pick<Autopilot, "vehicle" | "mode" | "armed" | "send" | "setMode">;

interface StickPilotOptions {
  readonly autopilot: Vehicle;
  readonly log: Logger;
  readonly acknowledge: (acknowledgement: Acknowledgement) => void;
  readonly onState: (state: PilotState) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Turns stick frames into MANUAL_CONTROL, and stops the vehicle when they stop. */
export class StickPilot {
  private current: PilotState = "idle";
  private readonly age = new FrameAge();
  private deadMan: NodeJS.Timeout | undefined;
  private neutral: NodeJS.Timeout | undefined;
  /** The present stop; a fresh frame aborts it. */
  private stop: AbortController | undefined;
  private stopping: Promise<void> | undefined;

  constructor(private readonly options: StickPilotOptions) {}

  get state(): PilotState {
    return this.current;
  }

  receive(message: ChannelMessage): void {
    const frame = readStickFrame(message.text);
    if (typeof frame === "string") {
      this.reply({ session: null, t: null, reason: "invalid", detail: frame, age_ms: null });
      return;
    }
    const { session, t } = frame;
    const { refused, ageMs } = this.age.check(frame, message.pingSentAt, this.options.now());
    const reason = refused ?? (this.steer(frame) ? null : "no_vehicle");
    this.reply({ session, t, reason, age_ms: Number.isFinite(ageMs) ? Math.round(ageMs) : null });
  }

  /** Stops the vehicle at once if a pilot steers. Resolves when it is stopped, or after three seconds. */
  async release(): Promise<void> {
    const stopped = this.current === "steering" ? this.stopVehicle() : this.stopping;
    await Promise.race([stopped, delay(RELEASE_MS, undefined, { ref: false })]);
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
    this.setState("steering");
    return true;
  }

  private stopVehicle(): Promise<void> {
    clearTimeout(this.deadMan);
    this.endStop();
    const stop = new AbortController();
    this.stop = stop;
    this.setState("stopping");
    this.centre();
    this.stopping = this.stopUntilDone(stop.signal).then(() => {
      if (stop.signal.aborted) return;
      this.endStop();
      this.setState("idle");
    });
    return this.stopping;
  }

  private endStop(): void {
    this.stop?.abort();
    this.stop = undefined;
    clearInterval(this.neutral);
  }

  private async stopUntilDone(ended: AbortSignal): Promise<void> {
    let failures = 0;
    if (this.options.autopilot.vehicle?.autopilot === "px4")
      await delay(PX4_CENTRED_MS, undefined, { signal: ended }).catch(() => undefined);
    while (!ended.aborted && !(await this.tryToStop(ended))) {
      const isConnected = this.options.autopilot.vehicle !== undefined;
      const pauseMs = isConnected ? backoffMs(++failures, RETRY_MS, MAX_RETRY_MS) : POLL_MS;
      await delay(pauseMs, undefined, { signal: ended }).catch(() => undefined);
    }
  }

  /** Whether the vehicle is stopped, or sticks do not fly it. */
  private async tryToStop(ended: AbortSignal): Promise<boolean> {
    const { autopilot, log } = this.options;
    const { vehicle, mode, armed } = autopilot;
    if (!vehicle || mode === undefined) return false;
    if (!armed || !fliesBySticks(vehicle, mode)) return true;
    log.warn({ mode }, "No fresh stick frame; stopping the vehicle");
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
      // A pilot steers again.
      if (ended.aborted) return true;
      try {
        await autopilot.setMode(mode);
        log.warn({ mode }, "The vehicle accepted a stopping mode");
        return true;
      } catch (error) {
        log.error({ err: error, mode }, "The vehicle refused a stopping mode");
      }
    }
    return false;
  }

  private setState(state: PilotState): void {
    if (state === this.current) return;
    this.current = state;
    this.options.onState(state);
  }

  private reply(fields: Pick<Acknowledgement, "session" | "t" | "reason" | "age_ms" | "detail">): void {
    const { autopilot, acknowledge } = this.options;
    acknowledge({
      type: "ack",
      ...fields,
      accepted: fields.reason === null,
      mode: autopilot.mode ?? null,
      armed: autopilot.armed ?? null,
      state: this.current,
    });
  }
}
