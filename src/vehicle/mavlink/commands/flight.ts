import { DomainError } from "../../../domain/errors";
import { offsetBetween, offsetBy } from "../../../domain/geo";
import type { CallsOf, flightCalls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import { startsWhenArmed } from "../modes";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import type { StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { accepted, Command, type Commands, MavResult, refusal } from "./commands";
import { ModeOrders, type ModeTimings } from "./mode-orders";
import { MOTOR_TEST_SECONDS, testMotor } from "./motor-test";
import type { Preflight } from "./preflight";
import { Reposition, type RepositionTimings } from "./reposition";
import { moveTo, type SetpointTimings } from "./setpoint";

/** Commander accepts NaN for "keep what you have"; ArduPilot takes 0 for it and trips over NaN. */
const UNSET = Number.NaN;

export interface FlightTimings extends SetpointTimings, RepositionTimings, ModeTimings {}

/**
 * The flight orders. Each ends with its caller's promise; nothing is sent after it, so that the vehicle's own failsafes
 * notice a pilot who stops. An order that cannot be carried out as the vehicle stands rejects with `conflict`, and nothing
 * is sent.
 */
export class Flight implements CallsOf<typeof flightCalls> {
  private readonly modes: ModeOrders;
  private readonly reposition: Reposition;
  /** Until then ArduPilot reports that it is armed, and accepts to be armed without being it afterwards. */
  private motorTestEnds = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly params: Params,
    private readonly preflight: Preflight,
    texts: StatusTexts,
    private readonly timings: FlightTimings,
  ) {
    this.modes = new ModeOrders(channel, vehicle, commands, state, timings);
    this.reposition = new Reposition(vehicle, commands, state, this.modes, texts, timings);
  }

  async arm({
    force = false,
  }: {
    force?: boolean | undefined;
  } = {}): Promise<Acknowledgement & { mode: string }> {
    const { mode, customMode, armed } = this.state;
    if (this.isTestingMotor) throw notSent("arm", "a motor test runs");
    if (!force && !armed && startsWhenArmed(this.vehicle, customMode)) {
      const choice = "Choose another mode, or send force: true.";
      throw notSent("arm", `armed in ${mode}, it sets off by itself. ${choice}`);
    }
    const { code, result, status_text, reasons } = await this.commands.send(
      "arm",
      Command.COMPONENT_ARM_DISARM,
      [1],
    );
    if (code !== MavResult.accepted) throw refusal("arm", result, await this.preflight.explain(reasons));
    // ArduPilot also accepts when it takes itself for armed, and PX4 may disarm again at once.
    const isArmed = () => this.state.becomesArmed(this.commands, this.timings.modeMs);
    if (await this.modes.showsThat("arm", isArmed)) return { result, status_text, mode: this.state.mode };
    const explanation = await this.preflight.explain(status_text);
    throw refusal("arm", `after ${result}`, ["it reports that it is disarmed", ...explanation]);
  }

  preflightFailures(): Promise<string[]> {
    return this.preflight.failures();
  }

  /** Never forced: a vehicle in the air refuses, and it is right. */
  async disarm(): Promise<Acknowledgement> {
    const acknowledgement = await accepted(this.commands.send("disarm", Command.COMPONENT_ARM_DISARM, [0]));
    this.state.requestHeartbeat(this.commands);
    return acknowledgement;
  }

  setMode(mode: string | number): Promise<Acknowledgement & { mode: string }> {
    return this.modes.set(mode);
  }

  /** Metres above home. */
  async takeoff(altitude: number): Promise<Acknowledgement> {
    if (this.vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not take off.");
    if (!(altitude > 0)) {
      throw new DomainError("invalid_input", "The takeoff altitude must be more than 0 metres.");
    }
    await this.assertArmed("take off");
    if (await this.isFlying()) throw notSent("take off", "it is already in the air");
    return this.modes.orRestore(() =>
      this.vehicle.autopilot === "px4" ? this.takeoffOfPx4(altitude) : this.takeoffOfArdupilot(altitude),
    );
  }

  /** Where it is, by its mode: the vehicle shows that it entered it. */
  async land(): Promise<Acknowledgement & { mode: string }> {
    if (this.vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not land.");
    return this.modes.set("LAND");
  }

  /** ArduPilot would take it while armed, and disarm at its end. */
  async motorTest(motor: number, percentage: number): Promise<Acknowledgement> {
    if (this.state.armed && !this.isTestingMotor) throw notSent("test the motor", "it is armed");
    const acknowledgement = await testMotor(this.vehicle, this.commands, this.params, motor, percentage);
    this.motorTestEnds = performance.now() + MOTOR_TEST_SECONDS * 1000;
    return acknowledgement;
  }

  /** Degrees, and metres above home. */
  async goTo(to: { lat: number; lng: number; altitude: number }): Promise<Acknowledgement> {
    if (!(Math.abs(to.lat) <= 90 && Math.abs(to.lng) <= 180 && Number.isFinite(to.altitude))) {
      throw new DomainError("invalid_input", "The position is not a latitude, a longitude and an altitude.");
    }
    await this.assertUnderWay("go there");
    return this.modes.orRestore(() => this.reposition.to(to));
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
    await this.assertUnderWay("move");
    const { north, east } = offsetBetween(origin, home);
    const ned = { x: y + north, y: x + east, z: -(z + home.altitude - origin.altitude) };
    const height = this.vehicle.kind === "rover" ? {} : { altitude: home.altitude + z };
    const place = { ...offsetBy(home, y, x), ...height };
    return this.modes.orRestore(async () => {
      await this.modes.enterGuided("move");
      return moveTo(this.channel, this.commands, ned, place, origin, this.timings);
    });
  }

  private async takeoffOfArdupilot(altitude: number): Promise<Acknowledgement> {
    await this.modes.enterGuided("take off");
    const params = [0, 0, 0, 0, 0, 0, altitude] as const;
    const outcome = await this.commands.send("take off", Command.NAV_TAKEOFF, params);
    // When only the first acknowledgement was lost, the repetition is refused because it already flies.
    const flies = async () => (await this.isFlying()) === true;
    if (outcome.code !== 0 && outcome.repeated && (await this.modes.showsThat("take off", flies)))
      return { result: "MAV_RESULT_ACCEPTED", status_text: outcome.status_text };
    return accepted(outcome);
  }

  /** PX4 counts from mean sea level here. The order itself changes the mode, and would wait in it to be armed. */
  private async takeoffOfPx4(altitude: number): Promise<Acknowledgement> {
    const home = await this.state.home(this.commands, this.timings.messageMs);
    const params = [UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, home.altitude + altitude] as const;
    const acknowledgement = await accepted(this.commands.send("take off", Command.NAV_TAKEOFF, params));
    await this.modes.assertShows("take off", "AUTO.TAKEOFF");
    if (!this.state.armed) throw refusal("take off", acknowledgement.result, ["it is disarmed meanwhile"]);
    return acknowledgement;
  }

  private get isTestingMotor(): boolean {
    return this.motorTestEnds > performance.now();
  }

  private async assertArmed(action: string): Promise<void> {
    if (this.isTestingMotor) throw notSent(action, "a motor test runs");
    if (!this.state.armed) await this.state.refresh(this.commands, this.timings.messageMs);
    if (!this.state.armed) throw notSent(action, "it is not armed");
  }

  /** For orders to go to a position: PX4 takes off for them, and ArduPilot accepts them and stays on the ground. */
  private async assertUnderWay(action: string): Promise<void> {
    await this.assertArmed(action);
    const { autopilot, kind } = this.vehicle;
    if (autopilot === "ardupilot" && kind === "copter" && (await this.isFlying()) === false)
      throw notSent(action, "it is on the ground; let it take off first");
  }

  private isFlying(): Promise<boolean | undefined> {
    return this.state.isFlying(this.commands, this.timings.messageMs);
  }
}

const notSent = (action: string, why: string): DomainError =>
  new DomainError(
    "conflict",
    `The order to ${action} was not sent to the vehicle: ${why.replace(/\.?$/, ".")}`,
  );
