import { offsetBy } from "../domain/geo";
import { GroundStation, planItem } from "../testing/fakes/ground-station";
import { startTestSimulator, type TestSimulator, type TestVehicle } from "../testing/worlds/simulator";
import { common, minimal } from "../vehicle/mavlink/wire/messages";

const home = { lat: 47.397742, lng: 8.545594, altitude: 488 };
const [ARM, TAKEOFF, LAND, SET_MODE] = [400, 22, 21, 176];
let simulator: TestSimulator;
let station: GroundStation;
let vehicle: TestVehicle;

beforeEach(async () => {
  simulator = await startTestSimulator([{ kind: "rover", autopilot: "px4", home }], 20);
  vehicle = simulator.vehicle;
  station = await GroundStation.connect(vehicle.port);
});
afterEach(async () => {
  await station.close();
  await simulator.stop();
});

const auto = (sub: number) => station.command(SET_MODE, 1, 4, sub);
const [MISSION, RTL, LANDING] = [4, 5, 6];
const waypoint = (north: number, east: number) => {
  const { lat, lng } = offsetBy(home, north, east);
  return planItem({ frame: 6, x: Math.round(lat * 1e7), y: Math.round(lng * 1e7) });
};
const away = (north: number, east: number) => {
  const target = offsetBy(home, north, east);
  const { lat, lng } = vehicle.state.position;
  return Math.hypot((lat - target.lat) * 111_319, (lng - target.lng) * 75_350);
};

test("a rover of PX4 shows itself by its heartbeat, and neither takes off nor lands", async () => {
  const heartbeat = await station.next(minimal.Heartbeat, () => true, 0);
  expect([heartbeat.type as number, heartbeat.autopilot as number]).toEqual([10, 12]);
  expect(await station.command(ARM, 1)).toBe(common.MavResult.ACCEPTED);
  expect(await station.command(TAKEOFF, 0, 0, 0, 0, 0, 0, 498)).toBe(common.MavResult.UNSUPPORTED);
  expect(await station.command(LAND)).toBe(common.MavResult.TEMPORARILY_REJECTED);
  expect(await auto(LANDING)).toBe(common.MavResult.DENIED);
  expect(vehicle.state.mode).toBe("AUTO_LOITER");
});

test("a rover of PX4 drives its mission, holds at its end, and returns", async () => {
  await station.upload([waypoint(20, 0), waypoint(20, 20)]);
  expect(await station.command(ARM, 1)).toBe(0);
  expect(await auto(MISSION)).toBe(0);
  await station.until(() => vehicle.state.mode === "AUTO_LOITER", "the end of the plan");
  expect(station.all(common.MissionItemReached).map(({ seq }) => seq)).toEqual([0, 1]);
  expect(away(20, 20)).toBeLessThan(1);
  expect(await auto(RTL)).toBe(0);
  await station.until(() => away(0, 0) < 1, "home");
  expect(vehicle.state).toMatchObject({ mode: "AUTO_RTL", relativeAltitude: 0 });
});
