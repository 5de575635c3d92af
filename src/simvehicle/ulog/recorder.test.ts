import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FlightStats } from "../../flight-log/result";
import { UlogReader } from "../../flight-log/ulog/reader";
import { statsOf } from "../../testing/analysed-logs";
import { atEndOfFile } from "../../testing/clean-up";
import { expectFigures, expectWithinPercent, LoggedCopter } from "../../testing/worlds/logged-copter";

const folder = mkdtempSync(join(tmpdir(), "simulated-logs-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

const px4 = (name: string, params: Readonly<Record<string, number>> = {}) =>
  new LoggedCopter(join(folder, name), params, "px4");

function analyse(path: string): FlightStats {
  const stats = statsOf(readFileSync(path));
  expect(stats).toMatchObject({ format: "ulog", complete: true, damaged_bytes: 0 });
  return stats;
}

/** The states of failsafe that a log repeats. */
function failsafesIn(path: string): boolean[] {
  const states: boolean[] = [];
  const bytes = readFileSync(path);
  const reader = new UlogReader({
    topic: (name, _, layout) => {
      const failsafe = layout.number("failsafe");
      return name === "vehicle_status" && failsafe
        ? (buffer, at) => void states.push(failsafe(buffer, at) === 1)
        : undefined;
    },
    text: () => undefined,
  });
  reader.read(bytes, bytes.length);
  return states;
}

test("the log of a flight gives its duration, distance, height and speed within one percent", () => {
  const copter = px4("one");
  copter.fly();
  const stats = analyse(copter.logs[0] as string);
  const { truth } = copter;
  expect(truth.distance).toBeGreaterThan(140);
  expectFigures(stats, truth);
  expectWithinPercent(stats.max_distance_from_home_m, Math.hypot(60, 40));
  expect(stats).toMatchObject({ gps: { fix_share: 1 }, incidents: [], failsafes: 0, flight_count: 1 });
  expect(stats.modes.map(({ name }) => name)).toEqual(["AUTO.TAKEOFF", "AUTO.LOITER", "AUTO.RTL"]);
  expect(stats.started_at?.slice(0, 10)).toBe("2026-05-01");
  expectWithinPercent(stats.battery?.used_mah, copter.vehicle.flight.battery.used);
});

test("each arming begins a log, which ends a second after disarming", () => {
  const copter = px4("two");
  expect(copter.hasLogs).toBe(false);
  copter.fly();
  const one = { ...copter.truth };
  const landed = copter.vehicle.flight.time;
  copter.flyUntil(() => copter.vehicle.flight.time > landed + 20, "the end of logging");
  const { size } = statSync(copter.logs[0] as string);
  copter.fly();
  copter.flyUntil(() => copter.vehicle.flight.time > landed + one.seconds + 30, "the end of logging");
  const day = join(folder, "two", "log", "2026-05-01");
  expect(copter.logs).toEqual([join(day, "00_00_00.ulg"), expect.stringContaining(day)]);
  const [first, second] = copter.logs.map((path) => analyse(path));
  expect(statSync(copter.logs[0] as string).size).toBe(size);
  for (const stats of [first, second]) {
    expect(stats?.flight_count).toBe(1);
    expect((stats?.log_seconds ?? 0) - (stats?.duration_seconds ?? 0)).toBeCloseTo(1, 1);
  }
  expectWithinPercent(first?.distance_m, one.distance);
  expectWithinPercent(second?.distance_m, copter.truth.distance - one.distance);
  expectWithinPercent(second?.duration_seconds, copter.truth.seconds - one.seconds);
});

test("a vehicle that is armed again at once begins another log, also within the second that names them", () => {
  const copter = px4("again");
  const { flight } = copter.vehicle;
  for (let times = 0; times < 3; times++) {
    copter.command(400, { _param1: 1 });
    copter.step();
    copter.command(400, { _param1: 0 });
    copter.step();
  }
  copter.flyUntil(() => flight.time > 3, "the end of logging");
  const names = copter.logs.map((path) => path.slice(-12));
  expect(names).toEqual(["00_00_00.ulg", "00_00_01.ulg", "00_00_02.ulg"]);
  for (const path of copter.logs) expect(analyse(path)).toMatchObject({ flight_number: 1, flight_count: 1 });
});

test("a failsafe whose state the log repeats counts once", () => {
  const copter = px4("failsafe", { COM_LOW_BAT_ACT: 2 });
  const { flight } = copter.vehicle;
  copter.takeOff(10);
  flight.params.set("BAT_LOW_THR", 0.999);
  copter.flyUntil(() => !flight.armed, "the landing");
  copter.flyUntil(() => flight.time > copter.truth.seconds + 5, "the end of logging");
  const [path] = copter.logs;
  const states = failsafesIn(path as string);
  expect(states[0]).toBe(false);
  expect(states.filter((failing) => failing).length).toBeGreaterThan(10);
  const stats = analyse(path as string);
  expect(stats.failsafes).toBe(1);
  expect(stats.incidents).toContainEqual(
    expect.objectContaining({ severity: "failsafe", text: "Failsafe", count: 1 }),
  );
  expect(stats.incidents.map(({ severity, text }) => [severity, text])).toContainEqual([
    "warning",
    expect.stringMatching(/^\[commander\] Battery 1 is low/),
  ]);
  expect(stats.modes.at(-1)?.name).toBe("AUTO.LAND");
});

test("every mode is logged under its own name", () => {
  const copter = px4("modes", { COM_DISARM_PRFLT: 0 });
  const { flight } = copter.vehicle;
  copter.command(400, { _param1: 1 });
  const modes = [...flight.modes.byNumber.values()];
  for (const mode of modes) {
    flight.mode = mode;
    for (let steps = 0; steps < 10; steps++) copter.step();
  }
  copter.vehicle.recorder?.stop();
  const names = statsOf(readFileSync(copter.logs[0] as string)).modes.map(({ name }) =>
    name.replace(".", "_"),
  );
  expect(names).toEqual(modes.map(({ name }) => name));
});

test("a vehicle that is switched off in flight leaves a log of it", () => {
  const copter = px4("switched off");
  copter.takeOff(10);
  copter.vehicle.recorder?.stop();
  const stats = statsOf(readFileSync(copter.logs[0] as string));
  expectWithinPercent(stats.duration_seconds, copter.truth.seconds);
  expectWithinPercent(stats.max_altitude_m, copter.truth.maxAltitude);
});

test("a flight without a writable folder has no log, and the vehicle reports it", () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where the folder should be");
  const copter = px4("blocked");
  copter.fly();
  expect(copter.truth.distance).toBeGreaterThan(140);
  expect(readFileSync(blocked, "utf8")).toBe("a file where the folder should be");
  expect(copter.texts.filter((text) => text.startsWith("Logging failed"))).toHaveLength(1);
});

test("a disk that fills in flight costs the log and not the flight", () => {
  const copter = px4("full disk");
  copter.takeOff(10);
  const full = jest.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  copter.fly();
  expect(full).toHaveBeenCalledTimes(1);
  full.mockRestore();
  expect(copter.texts.filter((text) => text.startsWith("Logging"))).toEqual(["Logging failed: ENOSPC"]);
  expect(copter.logs).toHaveLength(1);
});
