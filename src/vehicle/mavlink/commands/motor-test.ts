import { DomainError } from "../../../domain/errors";
import type { Calls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import { accepted, Command, type Commands } from "./commands";
import { notSent, type Preconditions } from "./preconditions";

/** ArduPilot and PX4 both mix for no more. */
const MAX_MOTORS = 12;
/** Long enough to see which motor it is, short enough for a mistake; PX4 ends a test after 3. */
const SECONDS = 2;

/** FRAME_CLASS of ArduPilot's multicopters, and the motors of each: quad, hexa, octa, octaquad, Y6, tri, dodecahexa, deca. */
const ARDUPILOT_FRAMES: Readonly<Record<number, number>> = {
  1: 4,
  2: 6,
  3: 8,
  4: 8,
  5: 6,
  7: 4,
  12: 12,
  14: 10,
};
/** SERVOn_FUNCTION of what ArduPilot's rovers call motor 1 to 4: throttle, steering, left and right throttle. */
const ARDUPILOT_ROVER_FUNCTIONS: readonly number[] = [70, 26, 73, 74];
/** Omni rovers, boats and mainsails name their outputs differently: motor 1 to 4 of SERVOn_FUNCTION. */
const FIRST_MOTOR_FUNCTION = 33;
const SERVOS = 16;

/** The order to spin one motor. */
export class MotorTest implements Pick<Calls, "motorTest"> {
  constructor(
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly params: Params,
    private readonly state: VehicleState,
    private readonly preconditions: Preconditions,
  ) {}

  /**
   * Spins one motor, numbered from 1, at a percentage of its throttle for two seconds. Both autopilots accept a motor
   * that the frame does not have, so that is refused here, by the vehicle's own parameters. ArduPilot would also take it
   * while armed, and disarm at its end.
   */
  async motorTest(motor: number, percentage: number): Promise<Acknowledgement> {
    const { vehicle, commands, params, state, preconditions } = this;
    if (state.armed && !preconditions.isTestingMotor) throw notSent("test the motor", "it is armed");
    if (!Number.isInteger(motor) || motor < 1 || motor > MAX_MOTORS) {
      throw new DomainError("invalid_input", `Motors are numbered from 1 to ${MAX_MOTORS}.`);
    }
    if (!(percentage >= 0 && percentage <= 100)) {
      throw new DomainError("invalid_input", "The throttle is a percentage from 0 to 100.");
    }
    await assertHasMotor(vehicle, params, motor);
    const PERCENT = 0;
    const ONE_MOTOR = 1;
    const [command, values] =
      vehicle.autopilot === "px4"
        ? ([Command.ACTUATOR_TEST, [percentage / 100, SECONDS, 0, 0, motor]] as const)
        : ([Command.DO_MOTOR_TEST, [motor, PERCENT, percentage, SECONDS, ONE_MOTOR]] as const);
    // A second copy would turn it a second time.
    const once = { repeat: "never" } as const;
    const acknowledgement = await accepted(commands.send("test the motor", command, values, once));
    preconditions.motorTestBegan(SECONDS);
    return acknowledgement;
  }
}

/** A frame that is not known here is left to the vehicle. */
async function assertHasMotor(vehicle: VehicleIdentity, params: Params, motor: number): Promise<void> {
  const { autopilot, kind } = vehicle;
  if (kind === "rover") {
    if (autopilot === "ardupilot" && !(await roverOutputs(params)).has(motor))
      throw new DomainError(
        "not_supported",
        `This rover has no motor ${motor}: no servo output is set to it.`,
      );
    return;
  }
  const name = autopilot === "px4" ? "CA_ROTOR_COUNT" : "FRAME_CLASS";
  const [frame] = await params.readParams([name]);
  const value = frame?.value ?? 0;
  const motors = autopilot === "px4" ? value : ARDUPILOT_FRAMES[value];
  if (motors !== undefined && motor > motors)
    throw new DomainError("not_supported", `This frame has ${motors} motors (${name} = ${value}).`);
}

/** The motors of DO_MOTOR_TEST that have an output. */
async function roverOutputs(params: Params): Promise<ReadonlySet<number>> {
  const names = Array.from({ length: SERVOS }, (_, at) => `SERVO${at + 1}_FUNCTION`);
  const functions = new Set((await params.readParams(names)).map(({ value }) => value));
  const has = (_: number, at: number) =>
    functions.has(ARDUPILOT_ROVER_FUNCTIONS[at] ?? -1) || functions.has(FIRST_MOTOR_FUNCTION + at);
  return new Set(ARDUPILOT_ROVER_FUNCTIONS.map((_, at) => at + 1).filter((motor) => has(motor, motor - 1)));
}
