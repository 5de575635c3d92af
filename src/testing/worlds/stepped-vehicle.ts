import { SimVehicle } from "../../simvehicle/vehicle";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData, minimal } from "../../vehicle/mavlink/wire/messages";

export const home = { lat: 47.397742, lng: 8.545594, altitude: 488 };

/** A simulated vehicle without a socket, on a clock that the test advances. */
export class SteppedVehicle {
  readonly sent: MavLinkData[] = [];
  readonly vehicle: SimVehicle;
  private now = 1_000_000;

  constructor(
    params: Record<string, number> = {},
    bootSeconds = 0,
    autopilot: "ardupilot" | "px4" = "ardupilot",
  ) {
    this.vehicle = new SimVehicle(
      { kind: "copter", autopilot, home, systemId: 1, bootSeconds },
      (message) => this.sent.push(message),
      this.now,
    );
    for (const [name, value] of Object.entries(params)) this.vehicle.flight.params.set(name, value);
    this.wait(0.1);
  }

  get texts(): string[] {
    return this.sent.filter((each) => each instanceof common.StatusText).map(({ text }) => text);
  }

  get flight() {
    return this.vehicle.flight;
  }

  get mode() {
    return this.flight.mode.name;
  }

  wait(seconds: number, meanwhile: () => void = () => undefined): void {
    for (let elapsed = 0; elapsed < seconds; elapsed += 0.1) {
      meanwhile();
      this.now += 100;
      this.vehicle.step(this.now, 1);
    }
  }

  /** Advances the wall clock without a step, as when the computer is suspended. */
  sleep(seconds: number): void {
    this.now += seconds * 1000;
    this.vehicle.step(this.now, 1);
  }

  heartbeatFrom(systemId: number): void {
    this.vehicle.receive(build(minimal.Heartbeat, { type: 6, autopilot: 8 }), { systemId, componentId: 190 });
  }

  /** COMMAND_LONG from the ground station; the MAV_RESULT. */
  command(command: number, params: Partial<common.CommandLong> = {}): number | undefined {
    const message = build(common.CommandLong, {
      targetSystem: 1,
      command: command as common.MavCmd,
      ...params,
    });
    this.vehicle.receive(message, { systemId: 255, componentId: 190 });
    return this.sent.filter((each) => each instanceof common.CommandAck).at(-1)?.result;
  }

  takeOff(altitude: number): void {
    this.flight.changeMode(this.flight.modes.byNumber.get(4)!);
    this.flight.arm();
    this.flight.startTakeoff(-altitude);
    this.wait(20);
  }
}
