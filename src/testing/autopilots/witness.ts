import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { packageRoot } from "../../platform/process/version";
import { atEndOfFile } from "../clean-up";

/** A MAVLink message as pymavlink decoded it; `at` is seconds since 1970. */
export interface ReceivedMessage {
  readonly type: string;
  readonly at: number;
  readonly [field: string]: unknown;
}

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** MAV_SYS_STATUS_PREARM_CHECK. */
const PREARM_CHECK = 0x10000000;
/** MAV_AUTOPILOT. */
const ARDUPILOT = 3;
/** EKF_STATUS_FLAGS: EKF_POS_HORIZ_ABS and EKF_CONST_POS_MODE. */
const KNOWS_POSITION = 16;
const GUESSES_POSITION = 128;

/** What a mode, an armed state and a height are compared by. Metres above home; metres per second over the ground and up. */
export interface ObservedState {
  readonly at: number;
  /** Seconds since the vehicle's boot, by its own clock. */
  readonly clock: number;
  readonly armed: boolean;
  readonly customMode: number;
  readonly relativeAltitude: number;
  readonly speed: number;
  readonly climb: number;
  readonly lat: number;
  readonly lng: number;
}

/** pymavlink at the vehicle's second port: its readings are the truth. */
export class Witness {
  private next = 1;
  private readonly waiting = new Map<number, (answer: { is?: unknown; error?: string }) => void>();

  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, null>) {
    createInterface(child.stdout).on("line", (line) => {
      const answer = JSON.parse(line) as { id: number; is?: unknown; error?: string };
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    });
  }

  static at(port: number): Witness {
    const python = process.env.PEERS_PYTHON;
    if (!python) throw new Error("Run these tests by `npm run test:autopilots`.");
    const program = join(packageRoot, ".ci/peers/witness.py");
    const child = spawn(python, [program, `${port}`], { stdio: ["pipe", "pipe", "inherit"] });
    atEndOfFile(async () => void child.kill());
    const witness = new Witness(child);
    child.on("exit", () => {
      for (const answer of witness.waiting.values()) answer({ error: "The witness ended." });
    });
    return witness;
  }

  stop(): void {
    this.child.kill();
  }

  /** Seconds since 1970 as the witness counts them. */
  now(): Promise<number> {
    return this.ask("now", {});
  }

  /** As `now`, when everything that the vehicle has sent before is read: a busy machine lets the witness lag. */
  sync(): Promise<number> {
    return this.ask("sync", {});
  }

  last(type: string): Promise<ReceivedMessage | null> {
    return this.ask("last", { type });
  }

  /** Those of a kind that the witness keeps (KEPT), of the last three minutes. */
  since(type: string, at: number): Promise<ReceivedMessage[]> {
    return this.ask("since", { type, at });
  }

  /** MAV_RESULT. A null parameter is sent as NaN. */
  command(command: number, params: readonly (number | null)[]): Promise<number> {
    return this.ask("command", { command, params });
  }

  /** MAV_RESULT. The position is in degrees; a null parameter is sent as NaN. */
  commandInt(
    command: number,
    frame: number,
    params: readonly (number | null)[],
    place: { lat: number; lng: number; altitude: number },
  ): Promise<number> {
    const [x, y] = [Math.round(place.lat * 1e7), Math.round(place.lng * 1e7)];
    return this.ask("command_int", { command, frame, params, x, y, z: place.altitude });
  }

  /** One message of that kind, asked for. */
  request(type: string): Promise<ReceivedMessage> {
    return this.ask("request", { type });
  }

  /** AVAILABLE_MODES. */
  modes(): Promise<ReceivedMessage[]> {
    return this.ask("modes", {});
  }

  /** RC_CHANNELS_OVERRIDE of eight channels, once, as the station that the vehicle takes sticks of. */
  sticks(channels: readonly number[]): Promise<void> {
    return this.ask("sticks", { channels });
  }

  /** Whether it steers: MANUAL_CONTROL with centred sticks, twenty times a second. */
  holdSticks(on: boolean): Promise<void> {
    return this.ask("hold_sticks", { on });
  }

  /** Milliseconds from each of so many commands to its acknowledgement. */
  times(command: number, params: readonly number[], count: number): Promise<number[]> {
    return this.ask("times", { command, params, count });
  }

  param(name: string): Promise<number> {
    return this.ask("param", { name });
  }

  /** Returns what the vehicle then has. */
  setParam(name: string, value: number): Promise<number> {
    return this.ask("set_param", { name, value });
  }

  params(): Promise<{ seconds: number; values: Record<string, number> }> {
    return this.ask("params", {});
  }

  /** MISSION_ITEM_INT of the mission (0) or the fence (1) on board. */
  plan(kind: 0 | 1): Promise<ReceivedMessage[]> {
    return this.ask("plan", { kind });
  }

  /**
   * Uploads the items [command, frame, param1, …, param4, x, y, z], null for NaN, as the mission (0) or the fence (1).
   * Returns MAV_MISSION_RESULT.
   */
  upload(kind: 0 | 1, items: readonly (readonly (number | null)[])[]): Promise<number> {
    return this.ask("upload", { kind, items });
  }

  /** Makes an item of the mission the current one. */
  setCurrent(seq: number): Promise<number> {
    return this.ask("set_current", { seq });
  }

  async texts(at: number): Promise<string[]> {
    return (await this.since("STATUSTEXT", at)).map(({ text }) => String(text));
  }

  /** Undefined until the vehicle has reported each of it. */
  async seen(): Promise<ObservedState | undefined> {
    const [beat, position] = await Promise.all([this.last("HEARTBEAT"), this.last("GLOBAL_POSITION_INT")]);
    if (!beat || !position) return undefined;
    return {
      at: beat.at,
      clock: Number(position.time_boot_ms) / 1000,
      armed: (Number(beat.base_mode) & ARMED) !== 0,
      customMode: Number(beat.custom_mode),
      relativeAltitude: Number(position.relative_alt) / 1000,
      speed: Math.hypot(Number(position.vx), Number(position.vy)) / 100,
      climb: -Number(position.vz) / 100,
      lat: Number(position.lat) / 1e7,
      lng: Number(position.lon) / 1e7,
    };
  }

  /** What was to be seen, in a heartbeat that the vehicle sent after this call. */
  async fresh(): Promise<ObservedState> {
    const from = await this.sync();
    return this.until("a heartbeat", async () => {
      const seen = await this.seen();
      return seen && seen.at >= from ? seen : undefined;
    });
  }

  /** Resolves with the first value that is not undefined or false; rejects with what is missing and the last texts. */
  async until<T>(
    what: string,
    ask: () => Promise<T | undefined | false>,
    seconds = 60,
  ): Promise<Exclude<T, false | undefined>> {
    const begun = await this.now();
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const found = await ask();
      if (found !== undefined && found !== false) return found as Exclude<T, false | undefined>;
      if (performance.now() > deadline) {
        const texts = (await this.texts(begun)).slice(-8).join(" | ");
        throw new Error(`The witness did not see ${what} within ${seconds} s. The vehicle said: ${texts}`);
      }
      await delay(100);
    }
  }

  /** The vehicle says by itself that it may be armed, and ArduPilot that it knows where it is: not all modes need that. */
  async readyToArm(): Promise<void> {
    await this.until(
      "that it may be armed",
      async () => {
        const [status, seen, beat] = await Promise.all([
          this.last("SYS_STATUS"),
          this.seen(),
          this.last("HEARTBEAT"),
        ]);
        if (!seen || (Number(status?.onboard_control_sensors_health) & PREARM_CHECK) === 0) return false;
        if (beat?.autopilot !== ARDUPILOT) return true;
        const { flags } = await this.request("EKF_STATUS_REPORT");
        return (Number(flags) & (KNOWS_POSITION | GUESSES_POSITION)) === KNOWS_POSITION;
      },
      120,
    );
  }

  private ask<T>(what: string, args: Record<string, unknown>): Promise<T> {
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, ({ is, error }) => {
        if (error === undefined) resolve(is as T);
        else reject(new Error(`The witness: ${error}`));
      });
      this.child.stdin.write(`${JSON.stringify({ id, do: what, ...args })}\n`);
    });
  }
}
