import { DomainError } from "../../../domain/errors";
import type { Calls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import { startsWhenArmed } from "../modes";
import type { VehicleState } from "../state";
import { accepted, Command, type Commands, MavResult, refusal } from "./commands";
import type { ModeOrders, ModeTimings } from "./mode-orders";
import { notSent, type Preconditions } from "./preconditions";
import type { Preflight } from "./preflight";

/** Commander accepts NaN for "keep what you have"; ArduPilot takes 0 for it and trips over NaN. */
const UNSET = Number.NaN;
/** MAV_CMD_COMPONENT_ARM_DISARM's second parameter, by which autopilots skip their checks. */
const FORCED = 21196;

interface Parts {
  readonly vehicle: VehicleIdentity;
  readonly commands: Commands;
  readonly state: VehicleState;
  readonly preflight: Preflight;
  readonly preconditions: Preconditions;
  readonly modes: ModeOrders;
}

/**
 * Orders to arm, disarm and take off. Each ends with its caller's promise; nothing is sent after it, so that the
 * vehicle's own failsafes notice a pilot who stops. An order that cannot be carried out as the vehicle stands rejects
 * with `conflict`, and nothing is sent.
 */
export class Flight implements Pick<Calls, "arm" | "disarm" | "takeoff"> {
  constructor(
    private readonly link: Parts,
    private readonly timings: ModeTimings,
  ) {}

  async arm({
    force = false,
  }: {
    force?: boolean | undefined;
  } = {}): Promise<Acknowledgement & { mode: string }> {
    const { vehicle, state, commands, modes, preflight, preconditions } = this.link;
    if (preconditions.isTestingMotor) throw notSent("arm", "a motor test runs");
    // A vehicle that has landed disarms itself.
    const isArmedAlready = () => state.checkArmed(true, commands, this.timings.messageMs);
    if (!force && startsWhenArmed(vehicle, state.customMode) && !(await isArmedAlready())) {
      const choice = "Choose another mode, or send force: true.";
      throw notSent("arm", `armed in ${state.mode}, it sets off by itself. ${choice}`);
    }
    const { code, result, status_text, reasons } = await commands.send(
      "arm",
      Command.COMPONENT_ARM_DISARM,
      [1],
    );
    if (code !== MavResult.accepted) throw refusal("arm", result, await preflight.explain(reasons));
    // ArduPilot also accepts when it takes itself for armed, and PX4 may disarm again at once.
    const isArmed = () => state.becomesArmed(commands, this.timings.modeMs);
    if (await modes.showsThat("arm", isArmed)) return { result, status_text, mode: state.mode };
    const explanation = await preflight.explain(status_text);
    throw refusal("arm", `after ${result}`, ["it reports that it is disarmed", ...explanation]);
  }

  /** A vehicle in the air refuses, and it is right. Forced, it stops its motors wherever it is, and falls. */
  async disarm({ force = false }: { force?: boolean | undefined } = {}): Promise<Acknowledgement> {
    const { commands, state } = this.link;
    const params = force ? ([0, FORCED] as const) : ([0] as const);
    const acknowledgement = await accepted(commands.send("disarm", Command.COMPONENT_ARM_DISARM, params));
    state.requestHeartbeat(commands);
    return acknowledgement;
  }

  /** Metres above home. */
  async takeoff(altitude: number): Promise<Acknowledgement> {
    const { vehicle, modes, preconditions } = this.link;
    if (vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not take off.");
    if (!(altitude > 0)) {
      throw new DomainError("invalid_input", "The takeoff altitude must be more than 0 metres.");
    }
    await preconditions.assertArmed("take off");
    if (await preconditions.isFlying()) throw notSent("take off", "it is already in the air");
    const restore = modes.begin();
    const takeoff =
      vehicle.autopilot === "px4" ? this.takeoffOfPx4(altitude) : this.takeoffOfArdupilot(altitude);
    return takeoff.catch(restore);
  }

  private async takeoffOfArdupilot(altitude: number): Promise<Acknowledgement> {
    const { commands, modes, preconditions } = this.link;
    await modes.enterGuided("take off");
    const params = [0, 0, 0, 0, 0, 0, altitude] as const;
    const outcome = await commands.send("take off", Command.NAV_TAKEOFF, params);
    // When only the first acknowledgement was lost, the repetition is refused because it already flies.
    const flies = async () => (await preconditions.isFlying()) === true;
    if (outcome.code !== 0 && outcome.repeated && (await modes.showsThat("take off", flies)))
      return { result: "MAV_RESULT_ACCEPTED", status_text: outcome.status_text };
    return accepted(outcome);
  }

  /** PX4 counts from mean sea level here. The order itself changes the mode, and would wait in it to be armed. */
  private async takeoffOfPx4(altitude: number): Promise<Acknowledgement> {
    const { commands, state, modes } = this.link;
    const home = await state.home(commands, this.timings.messageMs);
    const params = [UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, home.altitude + altitude] as const;
    const acknowledgement = await accepted(commands.send("take off", Command.NAV_TAKEOFF, params));
    await modes.assertShows("take off", "AUTO.TAKEOFF");
    if (!state.armed) throw refusal("take off", acknowledgement.result, ["it is disarmed meanwhile"]);
    return acknowledgement;
  }
}
