import { offsetBy } from "../../domain/geo";
import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { contradiction } from "../../testing/autopilots/contradiction";
import { type Flown, flown } from "../../testing/autopilots/flown";
import { ordered } from "../../testing/autopilots/orders";
import { square, storeFence, storePlan } from "../../testing/autopilots/plans";
import { prepareStates, STATES } from "../../testing/autopilots/states";
import type { Seen } from "../../testing/autopilots/witness";
import { actionTable } from "./actions.table";

jest.setTimeout(360_000);

/** To the drone's onboard computer, which no autopilot knows. */
const NOT_OF_VEHICLES = ["video-source"];

/** Each order of the table; those that leave the state as it is first. */
const ORDERS: readonly (readonly [path: string, body: (plans: Stored) => Record<string, unknown>])[] = [
  ["set_param", ({ params: [[param_id, value]] }) => ({ param_id, value })],
  ["set_params", ({ params }) => ({ params: Object.fromEntries(params) })],
  ["push_geofence", ({ fence }) => ({ geofence_id: fence })],
  ["sync_geofences", () => ({})],
  ["clear_fence", () => ({})],
  ["push_mission", ({ mission }) => ({ mission_id: mission })],
  ["motortest", () => ({ motor_id: 1, percentage: 6 })],
  ["takeoff", () => ({ altitude: 12 })],
  ["start_mission", () => ({ takeoff_altitude: 12 })],
  ["arm", () => ({})],
  ["arm_drone", () => ({})],
  ["disarm_drone", () => ({})],
  ["move", () => ({ x: 30, y: -10, z: 20 })],
  ["goto_gps_location", ({ there }) => ({ ...there, altitude: 18 })],
  ["guided", () => ({})],
  ["rtl", () => ({})],
  ["set_mode", ({ mode }) => ({ mode_info: { custom_mode: mode } })],
  ["land", () => ({})],
];

type Setting = readonly [name: string, value: number];

/** What the orders name. */
interface Stored {
  readonly mission: number;
  readonly fence: number;
  readonly there: { readonly lat: number; readonly lng: number };
  readonly params: readonly [Setting, Setting];
  readonly mode: string;
}

test("each order to a vehicle is given", () => {
  const paths = actionTable.map(({ path }) => path).filter((path) => !NOT_OF_VEHICLES.includes(path));
  expect(ORDERS.map(([path]) => path).sort()).toEqual(paths.sort());
});

describe.each(autopilots)("%s", (name) => {
  let vehicle: Flown;
  let stored: Stored;
  beforeAll(async () => {
    vehicle = await flown(name);
    await prepareStates(vehicle);
    const home = await vehicle.witness.fresh();
    stored = await store(vehicle, home);
  });
  afterAll(() => vehicle?.stop());

  const states = STATES.filter(({ ofRovers }) => ofRovers || !isRover(name));
  test.each(states)("no answer is contradicted by a vehicle that is $name", async (state) => {
    const untrue: string[] = [];
    const refused: string[] = [];
    for (const [path, body] of ORDERS) {
      if (!state.isIn(vehicle, await vehicle.witness.fresh())) await state.enter(vehicle);
      const given = await ordered(vehicle, path, body(stored), (seen) => contradiction(seen, name));
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

async function store(vehicle: Flown, home: Seen): Promise<Stored> {
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
