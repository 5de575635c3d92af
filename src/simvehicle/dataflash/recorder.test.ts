import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogAnalysis } from "../../features/executions/flight-log/analysis";
import type { FlightStats } from "../../features/executions/flight-log/result";
import { atEndOfFile } from "../../testing/clean-up";
import { build } from "../../vehicle/mavlink/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/messages";
import { noFaults } from "../faults";
import { distance, offsetBy } from "../geo";
import { groundSpeed } from "../kinematics";
import { startSimulator } from "../simulator";
import { SimVehicle } from "../vehicle";

const folder = mkdtempSync(join(tmpdir(), "simulated-logs-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

const HOME = { lat: 47.397742, lng: 8.545594, altitude: 488 };
const STATION = { systemId: 255, componentId: 190 };
const TICK = 20;

/** A copter stepped by hand, and the truth about its flight. */
class Copter {
  readonly said: MavLinkData[] = [];
  readonly truth = { seconds: 0, distance: 0, maxAltitude: 0, maxSpeed: 0, minVolts: 99 };
  private now = Date.UTC(2026, 4, 1);
  readonly vehicle: SimVehicle;

  constructor(logFolder: string) {
    this.vehicle = new SimVehicle(
      { kind: "copter", autopilot: "ardupilot", firmware: "4.7", home: HOME, systemId: 1, bootSeconds: 0 },
      noFaults(),
      (message) => this.said.push(message),
      () => undefined,
      this.now,
      logFolder,
    );
    this.step();
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
    this.command(176, { _param1: 1, _param2: 4 });
    this.command(400, { _param1: 1 });
    this.command(22, { _param7: 20 });
    this.flyUntil(() => flight.relativeAltitude > 19.8, "the height");
    const { lat, lng } = offsetBy(HOME, { n: 60, e: -40 });
    this.vehicle.receive(
      build(common.CommandInt, {
        targetSystem: 1,
        targetComponent: 1,
        command: 192 as common.MavCmd,
        frame: 6 as common.MavFrame,
        _param1: -1,
        _param5: Math.round(lat * 1e7),
        _param6: Math.round(lng * 1e7),
        _param7: 20,
      }),
      STATION,
    );
    this.flyUntil(() => distance(flight.position, { lat, lng }) < 0.3, "the place");
    this.command(176, { _param1: 1, _param2: 6 });
    this.flyUntil(() => !flight.armed, "the landing");
    this.step();
  }
}

function analyse(path: string): FlightStats {
  const analysis = new LogAnalysis("flight.BIN");
  analysis.push(readFileSync(path));
  const result = analysis.end();
  if (result.status !== "complete") throw new Error(`The log is ${result.status}`);
  return result.stats;
}

const within = (share: number, found: number | null | undefined, truth: number) =>
  expect(Math.abs((found ?? Number.NaN) / truth - 1)).toBeLessThan(share);

test("the log of a flight tells its duration, distance, height and speed within one percent", () => {
  const copter = new Copter(join(folder, "one"));
  copter.fly();
  const [path] = copter.vehicle.recorder?.files ?? [];
  const stats = analyse(path as string);
  const { truth } = copter;
  expect(truth.distance).toBeGreaterThan(140);
  within(0.01, stats.duration_seconds, truth.seconds);
  within(0.01, stats.distance_m, truth.distance);
  within(0.01, stats.max_altitude_m, truth.maxAltitude);
  within(0.01, stats.max_speed_ms, truth.maxSpeed);
  within(0.01, stats.max_distance_from_home_m, Math.hypot(60, 40));
  within(0.01, stats.battery?.min_voltage_v, truth.minVolts);
  expect(stats).toMatchObject({
    vehicle: "ArduCopter V4.7.0 (simulated)",
    gps: { fix_share: 1 },
    incidents: [],
  });
  expect(stats.modes.map(({ name }) => name)).toEqual(["GUIDED", "RTL"]);
  expect(stats.started_at?.slice(0, 10)).toBe("2026-05-01");
});

test("each flight has a file of its own, numbered on from what is in the folder", () => {
  const place = join(folder, "many");
  const first = new Copter(place);
  first.fly();
  const second = new Copter(place);
  second.fly();
  second.fly();
  expect(first.vehicle.recorder?.files).toEqual([join(place, "00000001.BIN")]);
  expect(second.vehicle.recorder?.files).toEqual([join(place, "00000002.BIN"), join(place, "00000003.BIN")]);
});

test("a failsafe in flight is in the log", () => {
  const copter = new Copter(join(folder, "failsafe"));
  const { flight } = copter.vehicle;
  copter.command(176, { _param1: 1, _param2: 4 });
  copter.command(400, { _param1: 1 });
  copter.command(22, { _param7: 10 });
  copter.flyUntil(() => flight.relativeAltitude > 9.8, "the height");
  flight.params.set("BATT_LOW_VOLT", 12.5);
  flight.params.set("BATT_FS_LOW_ACT", 2);
  copter.flyUntil(() => !flight.armed, "the landing");
  copter.step();
  const stats = analyse(copter.vehicle.recorder?.files[0] as string);
  expect(stats.incidents.map(({ severity, text }) => [severity, text])).toContainEqual([
    "failsafe",
    "Battery failsafe",
  ]);
});

test("a folder that cannot be written costs the log and not the flight, and the vehicle says so", () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where the folder should be");
  const copter = new Copter(blocked);
  copter.fly();
  expect(copter.truth.distance).toBeGreaterThan(140);
  expect(copter.vehicle.recorder?.files).toEqual([]);
  const texts = copter.said.flatMap((message) =>
    message instanceof common.StatusText ? [message.text] : [],
  );
  expect(texts.filter((text) => text.startsWith("Logging failed"))).toHaveLength(1);
});

test("a PX4 vehicle, which writes another kind of log, refuses a log folder", async () => {
  const vehicles = [{ kind: "copter", autopilot: "px4", logFolder: folder } as const];
  await expect(startSimulator({ vehicles })).rejects.toThrow("Only ArduPilot");
});
