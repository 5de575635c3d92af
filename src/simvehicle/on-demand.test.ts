import { atEndOfFile } from "../testing/clean-up";
import { GroundStation } from "../testing/fakes/ground-station";
import { eventually } from "../testing/until";
import { type SimulatedVehicleOptions, startSimulator } from "./simulator";

const [GUIDED, LAND] = [4, 9];
const [ARM_DISARM, TAKEOFF] = [400, 22];

const vehicle: SimulatedVehicleOptions = {
  ...({ kind: "copter", autopilot: "ardupilot", systemId: 1, bootSeconds: 0, port: 0 } as const),
  home: { lat: 47.397742, lng: 8.545594, altitude: 488 },
};

test("a vehicle is made at the first connection, and removed when it has landed and was left alone", async () => {
  const simulator = await startSimulator({
    ...{ host: "127.0.0.1", speedUp: 20, idleMs: 300 },
    vehicles: [vehicle, vehicle, vehicle],
  });
  atEndOfFile(() => simulator.stop());
  const existing = () => simulator.vehicles.map(({ exists }) => exists);
  expect(existing()).toEqual([false, false, false]);
  const [, flown, visited] = simulator.vehicles;
  if (!flown || !visited) throw new Error("There are three.");
  const pilot = await GroundStation.connect(flown.ports[0].port);
  await pilot.setMode(GUIDED);
  await pilot.command(ARM_DISARM, 1);
  expect(await pilot.command(TAKEOFF, 0, 0, 0, 0, 0, 0, 20)).toBe(0);
  await eventually("it flies", () => !flown.vehicle.flight.landed);
  await pilot.close();
  const guest = await GroundStation.connect(visited.ports[0].port);
  await eventually("it is made", () => visited.exists);
  await guest.close();
  await eventually("the one on the ground is removed", () => !visited.exists);
  expect(existing()).toEqual([false, true, false]);

  const again = await GroundStation.connect(flown.ports[0].port);
  expect(await again.setMode(LAND)).toBe(0);
  await again.close();
  await eventually("the other one is removed after its landing", () => !flown.exists);
  const next = await GroundStation.connect(flown.ports[0].port);
  atEndOfFile(() => next.close());
  await eventually("it is made again", () => flown.exists);
});
