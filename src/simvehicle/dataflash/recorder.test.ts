import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { LogAnalysis } from "../../flight-log/analysis";
import type { FlightStats, FlightTime } from "../../flight-log/result";
import { atEndOfFile } from "../../testing/clean-up";
import { expectFigures, expectWithinPercent, LoggedCopter } from "../../testing/worlds/logged-copter";

const folder = mkdtempSync(join(tmpdir(), "simulated-logs-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

function analyse(path: string, during?: FlightTime): FlightStats {
  const analysis = new LogAnalysis("flight.BIN", during);
  analysis.push(readFileSync(path));
  const result = analysis.end();
  if (result.status !== "complete") throw new Error(`The log is ${result.status}`);
  return result.stats;
}

test("the log of a flight gives its duration, distance, height and speed within one percent", () => {
  const copter = new LoggedCopter(join(folder, "one"));
  copter.fly();
  const [path] = copter.logs;
  const stats = analyse(path as string);
  const { truth } = copter;
  expect(truth.distance).toBeGreaterThan(140);
  expectFigures(stats, truth);
  expectWithinPercent(stats.max_distance_from_home_m, Math.hypot(60, 40));
  expect(stats).toMatchObject({
    vehicle: "ArduCopter V4.7.0 (simulated)",
    gps: { fix_share: 1 },
    incidents: [],
  });
  expect(stats.modes.map(({ name }) => name)).toEqual(["GUIDED", "RTL"]);
  expect(stats.started_at?.slice(0, 10)).toBe("2026-05-01");
});

test("flights until power-off share a log, each with its own figures", () => {
  const logFolder = join(folder, "many");
  const copter = new LoggedCopter(logFolder);
  copter.fly();
  const one = { ...copter.truth };
  copter.flyUntil(() => copter.vehicle.flight.time > one.seconds + 30, "the end of logging");
  const still = statSync(copter.logs[0] as string).size;
  copter.step();
  copter.fly();
  expect(copter.logs).toEqual([join(logFolder, "00000001.BIN")]);
  const second = analyse(copter.logs[0] as string);
  expect(second).toMatchObject({ flight_number: 2, flight_count: 2, flight_chosen_by: "order" });
  expectWithinPercent(second.duration_seconds, copter.truth.seconds - one.seconds);
  expectWithinPercent(second.distance_m, copter.truth.distance - one.distance);
  const begun = Date.parse(second.started_at as string);
  const first = analyse(copter.logs[0] as string, { from: begun - 200_000, to: begun - 20_000 });
  expect(first).toMatchObject({ flight_number: 1, flight_count: 2, flight_chosen_by: "time" });
  expectWithinPercent(first.duration_seconds, one.seconds);
  expectWithinPercent(first.distance_m, one.distance);
  expect(still).toBeLessThan(statSync(copter.logs[0] as string).size);
});

test("the log begins when it is armed, without a record of that, and is written to for 15 s after disarming", () => {
  const copter = new LoggedCopter(join(folder, "habit"));
  expect(copter.hasLogs).toBe(false);
  copter.fly();
  const [path] = copter.logs;
  const events = (stats: FlightStats) => stats.log_seconds - stats.duration_seconds;
  expect(analyse(path as string).duration_seconds).toBeCloseTo(copter.truth.seconds, 0);
  const landed = copter.vehicle.flight.time;
  copter.flyUntil(() => copter.vehicle.flight.time > landed + 20, "the end of logging");
  expect(events(analyse(path as string))).toBeCloseTo(15, 0);
});

test("with LOG_DISARMED it is written to from power-on and for ever; with LOG_FILE_DSRMROT each flight has its own", () => {
  const always = new LoggedCopter(join(folder, "always"), { LOG_DISARMED: 1 });
  always.fly();
  const stats = analyse(always.logs[0] as string);
  expectWithinPercent(stats.duration_seconds, always.truth.seconds);
  const size = () => statSync(always.logs[0] as string).size;
  const before = size();
  const landed = always.vehicle.flight.time;
  always.flyUntil(() => always.vehicle.flight.time > landed + 60, "a minute");
  expect(size()).toBeGreaterThan(before + 10_000);

  const logFolder = join(folder, "rotated");
  const rotated = new LoggedCopter(logFolder, { LOG_FILE_DSRMROT: 1 });
  rotated.fly();
  rotated.flyUntil(() => rotated.vehicle.flight.time > 400, "the end of logging");
  const again = new LoggedCopter(logFolder);
  again.fly();
  const names = again.logs.map((path) => basename(path));
  expect(names.at(0)).toBe("00000001.BIN");
  expect(new Set(names).size).toBe(names.length);
  expect(analyse(again.logs.at(-1) as string).flight_count).toBe(1);
});

test("a failsafe in flight is in the log", () => {
  const copter = new LoggedCopter(join(folder, "failsafe"));
  const { flight } = copter.vehicle;
  copter.takeOff(10);
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
  expect(copter.texts.filter((text) => text.startsWith("Logging failed"))).toHaveLength(1);
});
