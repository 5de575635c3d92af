import { atEndOfFile } from "../testing/clean-up";
import { GroundStation } from "../testing/fakes/ground-station";
import { eventually } from "../testing/until";
import { common, minimal } from "../vehicle/mavlink/wire/messages";
import { type ServedVehicle, type SimulatedVehicleOptions, startSimulator } from "./simulator";

const [GUIDED, LAND] = [4, 9];
const [ARM_DISARM, TAKEOFF] = [400, 22];
const GLOBAL_POSITION_INT = 33;
const ARMED = 128;
const SPEED_UP = 20;

const vehicle: SimulatedVehicleOptions = {
  ...({ kind: "copter", autopilot: "ardupilot", systemId: 1, bootSeconds: 0, port: 0 } as const),
  home: { lat: 47.397742, lng: 8.545594, altitude: 488 },
};

const { now } = Date;
let passedMs = 0;
beforeAll(() => {
  Date.now = () => now() + passedMs;
});
afterAll(() => {
  Date.now = now;
});

/** The vehicles are left alone for as long as an idle one is kept. */
async function elevenMinutes(vehicles: readonly ServedVehicle[]): Promise<void> {
  // The vehicles' side of a connection closes after the station's.
  await eventually("no station is connected", () => vehicles.every(({ ports: [port] }) => !port.connected));
  passedMs += 660_000;
  for (const served of vehicles) served.step(Date.now(), SPEED_UP);
}

/** The first position that fits; its boot time tells whether this is still the vehicle of before. */
async function position(
  station: GroundStation,
  fits: (position: common.GlobalPositionInt) => boolean = () => true,
): Promise<common.GlobalPositionInt> {
  await station.stream(GLOBAL_POSITION_INT, 10);
  return station.next(common.GlobalPositionInt, fits);
}

test("a vehicle is made at the first connection, and removed when it has landed and was left alone", async () => {
  const simulator = await startSimulator({
    ...{ host: "127.0.0.1", speedUp: SPEED_UP },
    vehicles: [vehicle, vehicle, vehicle],
  });
  atEndOfFile(() => simulator.stop());
  const [late, flown, visited] = simulator.vehicles.map(({ ports: [{ port }] }) => ({
    connect: () => GroundStation.connect(port),
  }));
  if (!late || !flown || !visited) throw new Error("There are three.");

  const pilot = await flown.connect();
  await pilot.setMode(GUIDED);
  await pilot.command(ARM_DISARM, 1);
  expect(await pilot.command(TAKEOFF, 0, 0, 0, 0, 0, 0, 20)).toBe(0);
  const aloft = await position(pilot, ({ relativeAlt }) => relativeAlt > 5_000);
  await pilot.close();
  const visitor = await visited.connect();
  const used = await position(visitor, ({ timeBootMs }) => timeBootMs > 40_000);
  await visitor.close();
  await elevenMinutes(simulator.vehicles);

  const nextVisitor = await visited.connect();
  expect((await position(nextVisitor)).timeBootMs).toBeLessThan(used.timeBootMs);
  await nextVisitor.close();
  const again = await flown.connect();
  const later = await position(again);
  expect(later.timeBootMs).toBeGreaterThan(aloft.timeBootMs);
  expect(later.relativeAlt).toBeGreaterThan(5_000);
  const first = await late.connect();
  expect((await position(first)).timeBootMs).toBeLessThan(later.timeBootMs);
  await first.close();
  expect(await again.setMode(LAND)).toBe(0);
  await again.next(minimal.Heartbeat, ({ baseMode }) => (baseMode & ARMED) === 0);
  const landed = await position(again);
  await again.close();
  await elevenMinutes(simulator.vehicles);

  const next = await flown.connect();
  expect((await position(next)).timeBootMs).toBeLessThan(landed.timeBootMs);
  await next.close();
});
