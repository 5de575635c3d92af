import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogAnalysis } from "../../flight-log/analysis";
import type { FlightStats } from "../../flight-log/result";
import { atEndOfFile } from "../../testing/clean-up";
import { LoggedCopter } from "../../testing/worlds/logged-copter";
import { startTestSimulator } from "../../testing/worlds/simulator";
import { common } from "../../vehicle/mavlink/wire/messages";

const folder = mkdtempSync(join(tmpdir(), "simulated-logs-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

function analyse(path: string): FlightStats {
  const analysis = new LogAnalysis("flight.BIN");
  analysis.push(readFileSync(path));
  const result = analysis.end();
  if (result.status !== "complete") throw new Error(`The log is ${result.status}`);
  return result.stats;
}

const within = (share: number, found: number | null | undefined, truth: number) =>
  expect(Math.abs((found ?? Number.NaN) / truth - 1)).toBeLessThan(share);

test("the log of a flight gives its duration, distance, height and speed within one percent", () => {
  const copter = new LoggedCopter(join(folder, "one"));
  copter.fly();
  const [path] = copter.logs;
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
  const logFolder = join(folder, "many");
  const first = new LoggedCopter(logFolder);
  first.fly();
  expect(first.logs).toEqual([join(logFolder, "00000001.BIN")]);
  const second = new LoggedCopter(logFolder);
  second.fly();
  second.fly();
  const names = ["00000001.BIN", "00000002.BIN", "00000003.BIN"];
  expect(second.logs).toEqual(names.map((name) => join(logFolder, name)));
});

test("a failsafe in flight is in the log", () => {
  const copter = new LoggedCopter(join(folder, "failsafe"));
  const { flight } = copter.vehicle;
  copter.command(176, { _param1: 1, _param2: 4 });
  copter.command(400, { _param1: 1 });
  copter.command(22, { _param7: 10 });
  copter.flyUntil(() => flight.relativeAltitude > 9.8, "the height");
  flight.params.set("BATT_LOW_VOLT", 12.5);
  flight.params.set("BATT_FS_LOW_ACT", 2);
  copter.flyUntil(() => !flight.armed, "the landing");
  copter.step();
  const stats = analyse(copter.logs[0] as string);
  expect(stats.incidents.map(({ severity, text }) => [severity, text])).toContainEqual([
    "failsafe",
    "Battery failsafe",
  ]);
});

test("a flight without a writable folder has no log, and the vehicle reports it", () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where the folder should be");
  const copter = new LoggedCopter(blocked);
  copter.fly();
  expect(copter.truth.distance).toBeGreaterThan(140);
  expect(readFileSync(blocked, "utf8")).toBe("a file where the folder should be");
  const texts = copter.sent.flatMap(({ message }) =>
    message instanceof common.StatusText ? [message.text] : [],
  );
  expect(texts.filter((text) => text.startsWith("Logging failed"))).toHaveLength(1);
});

test("a PX4 vehicle, which writes another kind of log, refuses a log folder", async () => {
  const simulator = startTestSimulator([{ kind: "copter", autopilot: "px4", logFolder: folder }]);
  await expect(simulator).rejects.toThrow("Only ArduPilot");
});
