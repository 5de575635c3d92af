import { offsetBy } from "../../domain/geo";
import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { contradiction } from "../../testing/autopilots/contradiction";
import { ORDERS_IN_STATES, type Stored } from "../../testing/autopilots/order-bodies";
import { giveOrder } from "../../testing/autopilots/orders";
import { square, storeFence, storePlan } from "../../testing/autopilots/plans";
import { prepareStates, STATES } from "../../testing/autopilots/states";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../testing/autopilots/witness";

jest.setTimeout(360_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let stored: Stored;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    await prepareStates(vehicle);
    const home = await vehicle.witness.fresh();
    stored = await store(vehicle, home);
  });
  afterAll(() => vehicle?.stop());

  const states = STATES.filter(({ ofRovers }) => ofRovers || !isRover(name));
  test.each(states)("no answer is contradicted by a vehicle that is $name", async (state) => {
    const untrue: string[] = [];
    const refused: string[] = [];
    for (const [path, body] of ORDERS_IN_STATES) {
      if (!state.isIn(vehicle, await vehicle.witness.fresh())) await state.enter(vehicle);
      const given = await giveOrder(vehicle, path, body(stored), (seen) => contradiction(seen, name));
      const found = contradiction(given, name);
      if (found) {
        untrue.push(found);
        process.stdout.write(`${name} ${state.name}: ${found}\n`);
      }
      if (given.status !== 200) refused.push(path);
    }
    process.stdout.write(`${name} ${state.name}: refused ${refused.join(", ")}\n`);
    expect(untrue).toEqual([]);
  });
});

async function store(vehicle: TestedVehicle, home: ObservedState): Promise<Stored> {
  const { api, name } = vehicle;
  const rows = [{ north: 30 }, { north: 30, east: 30, altitude: 25 }, { east: 30 }];
  return {
    mission: await storePlan(api, home, rows),
    fence: await storeFence(api, home, "inclusion", square(400)),
    there: offsetBy(home, -40, 20),
    params: isPx4(name)
      ? [
          ["NAV_ACC_RAD", 3.5],
          ["COM_DL_LOSS_T", 11],
        ]
      : [
          ["RC10_TRIM", 1502],
          ["RC11_TRIM", 1498],
        ],
    mode: isPx4(name) ? "AUTO.LOITER" : isRover(name) ? "HOLD" : "BRAKE",
  };
}
