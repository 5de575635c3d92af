import { setTimeout as delay } from "node:timers/promises";
import { toE7 } from "../../../domain/mission-item";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import type { VehicleState } from "../state";
import type { StatusTexts } from "../status-text";
import { common } from "../wire/messages";
import { accepted, Command, type CommandOutcome, type Commands, refusal } from "./commands";
import { isTarget, type Target } from "./position-target";

/** MAV_FRAME. */
const GLOBAL = 0;
const GLOBAL_RELATIVE_ALT_INT = 6;
const KEEP_SPEED = -1;
const CHANGE_MODE = 1;
/** How often PX4 is asked for its target. */
const AGAIN_MS = 100;
/** Commander accepts NaN for "keep what you have". */
const UNSET = Number.NaN;

export interface RepositionTimings {
  /** How long the answer to a requested message may take. */
  readonly messageMs: number;
  /** How long after its acknowledgement PX4 may say that it does not go there. */
  readonly afterthoughtMs: number;
  /** How long the report of the current target may take. */
  readonly targetMs: number;
}

/** Degrees, and metres above home. */
interface Destination {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

/** MAV_CMD_DO_REPOSITION, which changes the mode to the one that goes to positions. */
export class Reposition {
  constructor(
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly texts: StatusTexts,
    private readonly timings: RepositionTimings,
  ) {}

  async to(destination: Destination): Promise<Acknowledgement> {
    if (this.vehicle.autopilot === "ardupilot")
      return accepted(this.send(destination, GLOBAL_RELATIVE_ALT_INT, destination.altitude));
    // PX4 reads the altitude as above mean sea level, whatever frame is named.
    const home = await this.state.home(this.commands, this.timings.messageMs);
    const altitude = home.altitude + destination.altitude;
    const record = this.texts.record();
    try {
      const acknowledged = await accepted(this.send(destination, GLOBAL, altitude, UNSET));
      const afterwards = await this.objection({ ...destination, altitude }, () => record.reasons);
      if (afterwards !== undefined) throw refusal("go there", "after MAV_RESULT_ACCEPTED", [afterwards]);
      return { ...acknowledged, status_text: record.texts };
    } finally {
      record.stop();
    }
  }

  /**
   * PX4's commander accepts, and then its navigator looks at the position. Returns what it says against it, as soon as it
   * does; undefined as soon as it reports the position as its target, or when the time is over.
   */
  private async objection(target: Target, reasons: () => readonly string[]): Promise<string | undefined> {
    const { afterthoughtMs, targetMs } = this.timings;
    const until = performance.now() + afterthoughtMs;
    const objection = () => reasons().find((text) => /^reposition/i.test(text));
    while (objection() === undefined && performance.now() < until) {
      const reported = await this.commands.fetch(common.PositionTargetGlobalInt, targetMs);
      if (reported && isTarget(reported, target)) break;
      await delay(AGAIN_MS);
    }
    return objection();
  }

  private send(
    { lat, lng }: Destination,
    frame: number,
    altitude: number,
    yaw?: number,
  ): Promise<CommandOutcome> {
    const at = { latE7: toE7(lat), lngE7: toE7(lng), frame, altitude };
    return this.commands.send("go there", Command.DO_REPOSITION, [KEEP_SPEED, CHANGE_MODE, 0, yaw], { at });
  }
}
