import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../domain/errors";
import { offsetBetween, offsetBy } from "../../../domain/geo";
import { toE7 } from "../../../domain/mission-item";
import type { Calls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import type { VehicleState } from "../state";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { common } from "../wire/messages";
import { accepted, Command, type CommandOutcome, type Commands, refusal } from "./commands";
import type { ModeOrders } from "./mode-orders";
import { isTarget, type Target, targetKept } from "./position-target";
import type { Preconditions } from "./preconditions";
import { moveTo, type SetpointTimings } from "./setpoint";

/** MAV_FRAME. */
const GLOBAL = 0;
const GLOBAL_RELATIVE_ALT_INT = 6;
const KEEP_SPEED = -1;
const CHANGE_MODE = 1;
/** How often PX4 is asked for its target. */
const AGAIN_MS = 100;
/** Commander accepts NaN for "keep what you have". */
const UNSET = Number.NaN;

export interface RepositionTimings extends SetpointTimings {
  /** How long the answer to a requested message may take. */
  readonly messageMs: number;
  /** How long after its acknowledgement PX4 may say that it does not go there, or take another target for its own. */
  readonly objectionMs: number;
}

/** Degrees, and metres above home. */
interface Destination {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

interface Parts {
  readonly channel: Channel;
  readonly vehicle: VehicleIdentity;
  readonly commands: Commands;
  readonly state: VehicleState;
  readonly modes: ModeOrders;
  readonly preconditions: Preconditions;
  readonly texts: StatusTexts;
}

/** Orders to go to a position. Each changes the mode to the one that goes to positions. */
export class Reposition implements Pick<Calls, "goTo" | "move"> {
  constructor(
    private readonly link: Parts,
    private readonly timings: RepositionTimings,
  ) {}

  /** MAV_CMD_DO_REPOSITION. Degrees, and metres above home. */
  async goTo(destination: Destination): Promise<Acknowledgement> {
    const { lat, lng, altitude } = destination;
    if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && Number.isFinite(altitude))) {
      throw new DomainError("invalid_input", "The position is not a latitude, a longitude and an altitude.");
    }
    return this.underWay("go there", () => this.reposition(destination));
  }

  /**
   * Metres from home, ENU. ArduPilot takes it as a local setpoint, whose origin is the estimator's and not
   * home, so the offset between the two is added. PX4 would need a setpoint stream in offboard mode, which would go on
   * after the pilot stops; DO_REPOSITION sends it to the same position instead.
   */
  async move({ x, y, z }: { x: number; y: number; z: number }): Promise<Acknowledgement> {
    if (![x, y, z].every(Number.isFinite)) {
      throw new DomainError("invalid_input", "The target needs x, y and z in metres.");
    }
    const { channel, vehicle, commands, state, modes } = this.link;
    const home = await state.home(commands, this.timings.messageMs);
    const target = { ...offsetBy(home, y, x), altitude: z };
    if (vehicle.autopilot === "px4") return this.goTo(target);
    const origin = await state.origin(commands, this.timings.messageMs);
    if (!origin) return this.goTo(target);
    const { north, east } = offsetBetween(origin, home);
    const ned = { x: y + north, y: x + east, z: -(z + home.altitude - origin.altitude) };
    const height = vehicle.kind === "rover" ? {} : { altitude: home.altitude + z };
    const destination = { ...offsetBy(home, y, x), ...height };
    return this.underWay("move", async () => {
      await modes.enterGuided("move");
      return moveTo(channel, commands, ned, destination, origin, this.timings);
    });
  }

  /** Gives the order to a vehicle that can go; the mode is put back when it does not. */
  private async underWay(action: string, give: () => Promise<Acknowledgement>): Promise<Acknowledgement> {
    const { modes, preconditions } = this.link;
    const isLanding = await preconditions.assertUnderWay(action);
    const restore = modes.begin();
    try {
      const acknowledgement = await give();
      if (isLanding) await preconditions.assertStillFlying(action);
      return acknowledgement;
    } catch (error) {
      return restore(error);
    }
  }

  private async reposition(destination: Destination): Promise<Acknowledgement> {
    const { vehicle, commands, state, modes, texts } = this.link;
    if (vehicle.autopilot === "ardupilot")
      return accepted(this.send(destination, GLOBAL_RELATIVE_ALT_INT, destination.altitude));
    // PX4 reads the altitude as above mean sea level, whatever frame is named.
    const home = await state.home(commands, this.timings.messageMs);
    const altitude = home.altitude + destination.altitude;
    const record = texts.record();
    try {
      const { result } = await accepted(this.send(destination, GLOBAL, altitude, UNSET));
      await modes.assertShows("go there", "AUTO.LOITER");
      const taken = await this.isTaken({ ...destination, altitude }, record);
      if (!taken) await this.assertUp(record);
      return { result: taken ? result : "TARGET_UNCONFIRMED", status_text: record.texts };
    } finally {
      record.stop();
    }
  }

  /**
   * PX4's commander accepts, and then its navigator looks at the position. True as soon as it reports the position as its
   * target; false when it reports none in time. Rejects with `vehicle_refused` as soon as it says something against it,
   * and when it still has another target after that time.
   */
  private async isTaken(target: Target, record: StatusRecord): Promise<boolean> {
    const { objectionMs, targetMs } = this.timings;
    const until = performance.now() + objectionMs;
    const refuse = (why: string) => refusal("go there", "after MAV_RESULT_ACCEPTED", [why]);
    for (;;) {
      const isLast = performance.now() >= until;
      const reported = await this.link.commands.fetch(common.PositionTargetGlobalInt, targetMs);
      const objection = record.reasons.find((text) => /^reposition/i.test(text));
      if (objection !== undefined) throw refuse(objection);
      if (reported && isTarget(reported, target)) return true;
      if (isLast && reported) throw refuse(targetKept(reported));
      if (isLast) return false;
      await delay(AGAIN_MS);
    }
  }

  /** PX4 also accepts as it touches the ground, reports no target and stays there. Rejects with `vehicle_refused` then. */
  private async assertUp(record: StatusRecord): Promise<void> {
    const { vehicle, state, commands, modes, preconditions } = this.link;
    const isUp = async () =>
      (await state.checkArmed(true, commands, this.timings.messageMs)) &&
      (vehicle.kind === "rover" || (await preconditions.isFlying()) !== false);
    const isStillUp = await modes.showsThat("go there", isUp);
    // The text comes before the heartbeat that shows it.
    const disarming = record.texts.find((text) => /^disarmed by /i.test(text));
    if (isStillUp && disarming === undefined) return;
    const why = state.armed ? "it has just landed; let it take off first" : "it is disarmed meanwhile";
    throw refusal("go there", "after MAV_RESULT_ACCEPTED", [disarming ?? why]);
  }

  private send(
    { lat, lng }: Destination,
    frame: number,
    altitude: number,
    yaw?: number,
  ): Promise<CommandOutcome> {
    const at = { latE7: toE7(lat), lngE7: toE7(lng), frame, altitude };
    return this.link.commands.send("go there", Command.DO_REPOSITION, [KEEP_SPEED, CHANGE_MODE, 0, yaw], {
      at,
    });
  }
}
