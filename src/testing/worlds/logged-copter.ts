import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { distance, offsetBy } from "../../domain/geo";
import type { FlightStats } from "../../flight-log/result";
import type { Autopilot } from "../../simvehicle/flight-state";
import { groundSpeed } from "../../simvehicle/kinematics";
import type { Mode } from "../../simvehicle/modes";
import { SimVehicle } from "../../simvehicle/vehicle";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";

const HOME = { lat: 47.397742, lng: 8.545594, altitude: 488 };
const STATION = { systemId: 255, componentId: 190 };
const TICK = 20;

/** A simulated copter that the test steps, and the true figures of its flight. */
export class LoggedCopter {
  /** With the wall clock in milliseconds. */
  readonly sent: { readonly at: number; readonly message: MavLinkData }[] = [];
  readonly truth = { seconds: 0, distance: 0, maxAltitude: 0, maxSpeed: 0, minVolts: 99 };
  private now = Date.UTC(2026, 4, 1);
  readonly vehicle: SimVehicle;

  constructor(
    private readonly logFolder: string,
    params: Readonly<Record<string, number>> = {},
    private readonly autopilot: Autopilot = "ardupilot",
  ) {
    this.vehicle = new SimVehicle(
      { kind: "copter", autopilot, home: HOME, systemId: 1, bootSeconds: 0 },
      (message) => this.sent.push({ at: this.now, message }),
      this.now,
      logFolder,
    );
    for (const [name, value] of Object.entries(params)) this.vehicle.flight.params.set(name, value);
    // It sends telemetry to a connected ground station only.
    this.vehicle.setConnected(true);
    for (const id of [1, 24, 27, 31, 33, 74, 193]) this.command(511, { _param1: id, _param2: 100_000 });
    this.step();
  }

  get hasLogs(): boolean {
    return existsSync(this.logFolder);
  }

  /** The logs in its folder and in the folders in that, oldest first. */
  get logs(): string[] {
    const names = readdirSync(this.logFolder, { encoding: "utf8", recursive: true });
    return names
      .filter((name) => /\.(BIN|ulg)$/.test(name))
      .sort()
      .map((name) => join(this.logFolder, name));
  }

  /** Its status texts. */
  get texts(): string[] {
    return this.sent.flatMap(({ message }) => (message instanceof common.StatusText ? [message.text] : []));
  }

  command(command: number, params: Partial<common.CommandLong>): void {
    const fields = { targetSystem: 1, targetComponent: 1, command: command as common.MavCmd, ...params };
    this.vehicle.receive(build(common.CommandLong, fields), STATION);
  }

  step(): void {
    const { flight } = this.vehicle;
    const from = { n: flight.body.n, e: flight.body.e, time: flight.time };
    const wasArmed = flight.armed;
    this.now += TICK;
    this.vehicle.step(this.now, 1);
    if (!wasArmed) return;
    const { truth } = this;
    truth.seconds += flight.time - from.time;
    truth.distance += Math.hypot(flight.body.n - from.n, flight.body.e - from.e);
    truth.maxAltitude = Math.max(truth.maxAltitude, flight.relativeAltitude);
    truth.maxSpeed = Math.max(truth.maxSpeed, groundSpeed(flight.body));
    truth.minVolts = Math.min(truth.minVolts, flight.battery.volts);
  }

  flyUntil(holds: () => boolean, what: string): void {
    for (let steps = 0; !holds(); steps++) {
      if (steps > 60_000) throw new Error(`Flew twenty minutes in vain for ${what}`);
      this.step();
    }
  }

  /** Up to 20 m, to a place 72 m away, back home and down by itself. */
  fly(): void {
    const { flight } = this.vehicle;
    this.takeOff(20);
    const { lat, lng } = offsetBy(HOME, 60, -40);
    this.vehicle.receive(
      build(common.CommandInt, {
        targetSystem: 1,
        targetComponent: 1,
        command: 192 as common.MavCmd,
        frame: 6 as common.MavFrame,
        _param1: -1,
        _param5: Math.round(lat * 1e7),
        _param6: Math.round(lng * 1e7),
        _param7: this.heightOf(20),
      }),
      STATION,
    );
    this.flyUntil(() => distance(flight.position, { lat, lng }) < 0.3, "the place");
    this.enter(flight.modes.returning);
    this.flyUntil(() => !flight.armed, "the landing");
    this.step();
  }

  /** Arms, climbs so many metres, and stays there. */
  takeOff(height: number): void {
    const { flight } = this.vehicle;
    this.enter(flight.modes.guided);
    this.command(400, { _param1: 1 });
    this.command(22, { _param7: this.heightOf(height) });
    const isUp = () => flight.relativeAltitude > height - 0.2 && flight.mode === flight.modes.guided;
    this.flyUntil(isUp, "the height");
  }

  /** PX4 has its mode in two parameters. */
  private enter({ number }: Mode): void {
    const [_param2, _param3] = this.autopilot === "px4" ? [(number >> 16) & 0xff, number >> 24] : [number, 0];
    this.command(176, { _param1: 1, _param2, _param3 });
  }

  /** PX4's heights are above mean sea level, whatever the frame. */
  private heightOf(aboveHome: number): number {
    return this.autopilot === "px4" ? HOME.altitude + aboveHome : aboveHome;
  }
}

/** The figures of the log are those of the flight within one percent. */
export function expectFigures(stats: FlightStats, truth: LoggedCopter["truth"]): void {
  expectWithinPercent(stats.duration_seconds, truth.seconds);
  expectWithinPercent(stats.distance_m, truth.distance);
  expectWithinPercent(stats.max_altitude_m, truth.maxAltitude);
  expectWithinPercent(stats.max_speed_ms, truth.maxSpeed);
  expectWithinPercent(stats.battery?.min_voltage_v, truth.minVolts);
}

export const expectWithinPercent = (found: number | null | undefined, truth: number) =>
  expect(Math.abs((found ?? Number.NaN) / truth - 1)).toBeLessThan(0.01);
