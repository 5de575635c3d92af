import { DomainError, isDomainError } from "../../../domain/errors";
import { offsetBetween, offsetBy } from "../../../domain/geo";
import { toE7 } from "../../../domain/mission-item";
import type { CallsOf, flightCalls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import { resolveMode, setModeParams } from "../modes";
import { isNoResponse, notSentAfter, orderUnanswered } from "../no-response";
import type { VehicleState } from "../state";
import type { Channel } from "../wire/channel";
import { accepted, Command, type CommandOutcome, type CommandParams, type Commands } from "./commands";
import { moveTo, type SetpointTimings } from "./setpoint";

/** MAV_FRAME. */
const GLOBAL = 0;
const GLOBAL_RELATIVE_ALT_INT = 6;

const MAX_MOTORS = 12;
/** Long enough to see which motor it is, short enough for a mistake. */
const MOTOR_TEST_SECONDS = 2;

/** Commander accepts NaN for "keep what you have"; ArduPilot takes 0 for it and trips over NaN. */
const UNSET = Number.NaN;

export interface FlightTimings extends SetpointTimings {
  /** How long a heartbeat with the new mode may take: they come once a second. */
  readonly modeMs: number;
  /** How long the answer to a requested message may take. */
  readonly messageMs: number;
}

/**
 * The flight orders. Each ends with its caller's promise; nothing is sent after it, so that the vehicle's own failsafes
 * notice a pilot who stops.
 */
export class Flight implements CallsOf<typeof flightCalls> {
  /** Orders so far that change the mode, to distinguish a mode that was replaced from one that was refused. */
  private modeOrders = 0;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly timings: FlightTimings,
  ) {}

  arm(): Promise<Acknowledgement> {
    return accepted(this.commands.send("arm", Command.COMPONENT_ARM_DISARM, [1]));
  }

  /** Never forced: a vehicle in the air refuses, and it is right. */
  disarm(): Promise<Acknowledgement> {
    return accepted(this.commands.send("disarm", Command.COMPONENT_ARM_DISARM, [0]));
  }

  async setMode(mode: string | number): Promise<Acknowledgement & { mode: string }> {
    const { name, customMode } = resolveMode(this.vehicle, mode);
    this.modeOrders += 1;
    const mine = this.modeOrders;
    const params = setModeParams(this.vehicle, customMode);
    const acknowledgement = await accepted(
      this.commands.send(`enter the mode ${name}`, Command.DO_SET_MODE, params),
    );
    const shows = () => this.state.modeBecomes(customMode, this.timings.modeMs);
    if (await this.showsThat(`enter the mode ${name}`, shows)) return { ...acknowledgement, mode: name };
    // Heartbeats come once a second: a mode that another order ended at once was never seen in one.
    throw mine === this.modeOrders
      ? new DomainError(
          "vehicle_timeout",
          `The vehicle acknowledged the mode ${name} but still reports ${this.state.mode}.`,
        )
      : new DomainError(
          "conflict",
          `The vehicle took the mode ${name} and then another order; it is in ${this.state.mode} now.`,
        );
  }

  /** Metres above home. */
  async takeoff(altitude: number): Promise<Acknowledgement> {
    if (this.vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not take off.");
    if (!(altitude > 0)) {
      throw new DomainError("invalid_input", "The takeoff altitude must be more than 0 metres.");
    }
    const params = await this.prepareTakeoff(altitude);
    const outcome = await this.commands.send("take off", Command.NAV_TAKEOFF, params);
    // When only the first acknowledgement was lost, the repetition is refused because it already flies.
    const flies = () => this.state.isFlying(this.commands, this.timings.messageMs);
    if (outcome.code !== 0 && outcome.repeated && (await this.showsThat("take off", flies))) {
      return { result: "MAV_RESULT_ACCEPTED", status_text: outcome.status_text };
    }
    return accepted(outcome, this.state.armed ? [] : ["it is not armed"]);
  }

  /** Where it is: ArduPilot by its mode, which every version has, PX4 by the order that enters its mode. */
  async land(): Promise<Acknowledgement> {
    if (this.vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not land.");
    if (this.vehicle.autopilot === "ardupilot") {
      const { result, status_text } = await this.setMode("LAND");
      return { result, status_text };
    }
    this.modeOrders += 1;
    return accepted(
      this.commands.send("land", Command.NAV_LAND, [UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET]),
    );
  }

  async motorTest(motorId: number, percentage: number): Promise<Acknowledgement> {
    if (!Number.isInteger(motorId) || motorId < 1 || motorId > MAX_MOTORS) {
      throw new DomainError("invalid_input", `Motors are numbered from 1 to ${MAX_MOTORS}.`);
    }
    if (!(percentage >= 0 && percentage <= 100)) {
      throw new DomainError("invalid_input", "The throttle is a percentage from 0 to 100.");
    }
    const PERCENT = 0;
    const ONE_MOTOR = 1;
    const params = [motorId, PERCENT, percentage, MOTOR_TEST_SECONDS, ONE_MOTOR] as const;
    // A second copy would turn it a second time.
    return accepted(this.commands.send("test the motor", Command.DO_MOTOR_TEST, params, { repeat: "never" }));
  }

  /** Degrees, and metres above home. */
  async goTo(to: { lat: number; lng: number; altitude: number }): Promise<Acknowledgement> {
    if (!(Math.abs(to.lat) <= 90 && Math.abs(to.lng) <= 180 && Number.isFinite(to.altitude))) {
      throw new DomainError("invalid_input", "The position is not a latitude, a longitude and an altitude.");
    }
    return accepted(this.reposition(to));
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
    const home = await this.state.home(this.commands, this.timings.messageMs);
    const target = { ...offsetBy(home, y, x), altitude: z };
    if (this.vehicle.autopilot === "px4") return this.goTo(target);
    const origin = await this.state.origin(this.commands, this.timings.messageMs);
    if (!origin) return this.goTo(target);
    const { north, east } = offsetBetween(origin, home);
    const ned = { x: y + north, y: x + east, z: -(z + home.altitude - origin.altitude) };
    await this.enterGuidedTo("move");
    const height = this.vehicle.kind === "rover" ? {} : { altitude: home.altitude + z };
    const place = { ...offsetBy(home, y, x), ...height };
    return moveTo(this.channel, this.commands, ned, place, this.timings);
  }

  /** Whether the vehicle's reports show that it obeyed. Rejects with `outcome_unknown` when it reports nothing. */
  private async showsThat(action: string, obeyed: () => Promise<boolean>): Promise<boolean> {
    try {
      if (await obeyed()) return true;
      this.channel.assertOpen();
      return false;
    } catch (error) {
      throw isNoResponse(error) ? orderUnanswered(action, error) : error;
    }
  }

  /** Switches to guided mode first on ArduPilot; on PX4 the order itself switches. Returns its parameters. */
  private async prepareTakeoff(altitude: number): Promise<CommandParams> {
    if (this.vehicle.autopilot === "ardupilot") {
      await this.enterGuidedTo("take off");
      return [0, 0, 0, 0, 0, 0, altitude];
    }
    // PX4 counts from mean sea level here.
    const home = await this.state.home(this.commands, this.timings.messageMs);
    return [UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, home.altitude + altitude];
  }

  private async reposition(to: { lat: number; lng: number; altitude: number }): Promise<CommandOutcome> {
    this.modeOrders += 1;
    const KEEP_SPEED = -1;
    const CHANGE_MODE = 1;
    const position = { latE7: toE7(to.lat), lngE7: toE7(to.lng) };
    if (this.vehicle.autopilot === "ardupilot") {
      return this.commands.send("go there", Command.DO_REPOSITION, [KEEP_SPEED, CHANGE_MODE], {
        at: { ...position, frame: GLOBAL_RELATIVE_ALT_INT, altitude: to.altitude },
      });
    }
    // PX4 reads the altitude as above mean sea level, whatever frame is named.
    const home = await this.state.home(this.commands, this.timings.messageMs);
    return this.commands.send("go there", Command.DO_REPOSITION, [KEEP_SPEED, CHANGE_MODE, 0, UNSET], {
      at: { ...position, frame: GLOBAL, altitude: home.altitude + to.altitude },
    });
  }

  /** Before an order that needs guided mode. An unanswered mode change rejects with "the order was not sent". */
  private async enterGuidedTo(action: string): Promise<void> {
    const { name, customMode } = resolveMode(this.vehicle, "GUIDED");
    if (this.state.customMode === customMode) return;
    this.modeOrders += 1;
    const params = setModeParams(this.vehicle, customMode);
    const sending = this.commands.send(`enter the mode ${name}`, Command.DO_SET_MODE, params);
    await accepted(sending).catch((error: unknown) => {
      const isUnknown = isDomainError(error) && error.code === "outcome_unknown";
      throw isUnknown ? notSentAfter(action, `enter the mode ${name}`, error) : error;
    });
  }
}
