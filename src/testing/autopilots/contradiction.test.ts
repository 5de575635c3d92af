import { actionTable } from "../../features/actions/actions.table";
import { CHECKS, contradiction, customModeOf } from "./contradiction";
import { ORDERS_IN_STATES } from "./order-bodies";
import type { GivenOrder } from "./orders";
import type { ObservedState } from "./witness";

const GUIDED = 4;
const LAND = 9;
const home = { lat: -35, lng: 149 };
const flying: ObservedState = {
  ...home,
  ...{ at: 0, clock: 0, armed: true, customMode: GUIDED, relativeAltitude: 10, speed: 0, climb: 0 },
};
const disarmed: ObservedState = { ...flying, armed: false, relativeAltitude: 0 };

/** An order to a copter of ArduPilot that hovers before and after it. */
const given = (changes: Partial<GivenOrder>): GivenOrder => ({
  ...{ path: "", body: {}, status: 200, message: "", result: {}, home, stored: [], params: {} },
  ...{ before: flying, after: flying, beats: [flying], texts: [], outputs: [] },
  ...changes,
});
const plans = (count: number) => ({
  mission: Array.from({ length: count }, () => ({
    ...{ command: 16, x: -350_000_000, y: 1_490_000_000, z: 20, param1: 1 },
  })),
  fence: [],
  current: 0,
});
const to = { path: "goto_gps_location", body: { lat: -35.001, lng: 149, altitude: 10 } };
const north = { ...flying, lat: -35.0001 };
const point = { command: 16, sequence: 1, lat: -35, lng: 149, altitude: 20 };
/** A mission of one waypoint, that is on board. */
const pushed = (result: object, stored = point) => ({
  ...{ path: "push_mission", result: { items: 1, adjusted: [], ...result }, stored: [stored] },
  plans: { before: plans(1), after: plans(1) },
});

/** To the drone's onboard computer, which no autopilot knows. */
const NOT_OF_VEHICLES = ["video-source"];

test("each order to a vehicle is given in each state, and it is known how it shows", () => {
  const paths = actionTable.map(({ path }) => path).filter((path) => !NOT_OF_VEHICLES.includes(path));
  expect(ORDERS_IN_STATES.map(([path]) => path).sort()).toEqual(paths.sort());
  expect(Object.keys(CHECKS).sort()).toEqual(paths.sort());
});

test.each<[string, Partial<GivenOrder>, RegExp]>([
  ["arming", { path: "arm", result: { mode: "GUIDED" }, after: disarmed }, /not armed/],
  ["arming in a mode", { path: "arm", result: { mode: "LOITER" } }, /not in LOITER/],
  ["a mode", { path: "set_mode", result: { mode: "RTL" } }, /not in RTL/],
  ["disarming", { path: "disarm_drone" }, /is armed/],
  ["a takeoff", { path: "takeoff" }, /does not climb/],
  ["a landing", { path: "land", result: { mode: "LAND" } }, /does not come down/],
  ["a goto", to, /111\.3 m away/],
  ["the height of a goto", { ...to, body: { ...home, altitude: 30 } }, /20\.0 m above or below/],
  [
    "a parameter",
    { path: "set_param", body: { param_id: "A", value: 2 }, params: { A: { before: 1, after: 1 } } },
    /A is 1/,
  ],
  [
    "a mission",
    { path: "push_mission", result: { items: 2 }, plans: { before: plans(1), after: plans(1) } },
    /1 items/,
  ],
  [
    "a mode that it leaves",
    { path: "guided", result: { mode: "GUIDED" }, after: { ...flying, customMode: LAND } },
    /did not stay in GUIDED/,
  ],
  ["a mission's place", pushed({}, { ...point, lat: -36 }), /row 1/],
  ["a mission's height", pushed({}, { ...point, altitude: 30 }), /row 1/],
  [
    "a mission's adjusted field",
    pushed({ adjusted: [{ sequence: 1, field: "param1", sent: 1.5, stored: 2 }] }),
    /param1 of the row of sequence 1 is not 2/,
  ],
  [
    "a fence",
    {
      ...{ path: "push_geofence", result: { items: 0, enforcement: { active: true, params: [] } } },
      texts: ["Geofence invalid, doesn't contain Home position"],
    },
    /invalid/,
  ],
])("a vehicle that does not do it contradicts the answer to %s", (_what, changes, found) => {
  expect(contradiction(given(changes), "copter")).toMatch(found);
});

test.each<[string, Partial<GivenOrder>, RegExp]>([
  ["changes its mode", { path: "takeoff", after: { ...flying, customMode: LAND } }, /from 4 to 9/],
  ["disarms", { path: "takeoff", after: disarmed }, /is disarmed/],
  ["arms", { path: "arm", before: disarmed, after: disarmed }, /is armed/],
  ["goes there", { ...to, after: north }, /goes there/],
  [
    "goes to the height",
    { ...to, body: { ...home, altitude: 30 }, after: { ...flying, relativeAltitude: 15 } },
    /at 15 m/,
  ],
  [
    "takes off",
    {
      path: "takeoff",
      before: { ...flying, relativeAltitude: 0 },
      after: { ...flying, relativeAltitude: 3 },
    },
    /climbs/,
  ],
  ["has another mission", { path: "push_mission", plans: { before: plans(1), after: plans(2) } }, /another/],
  [
    "has another parameter",
    {
      path: "set_params",
      message: "B was not set. Written: none. Not tried: none.",
      body: { params: { A: 2 } },
      params: { A: { before: 1, after: 2 } },
    },
    /A is 2/,
  ],
])("a vehicle that %s contradicts a refusal", (_what, changes, found) => {
  expect(contradiction(given({ status: 500, ...changes }), "copter")).toMatch(found);
});

test("a vehicle that does what the answer says, or nothing after a refusal, does not contradict it", () => {
  expect(contradiction(given({ ...to, after: north }), "copter")).toBeUndefined();
  expect(contradiction(given({ ...to, status: 500 }), "copter")).toBeUndefined();
  expect(contradiction(given(pushed({})), "copter")).toBeUndefined();
});

test("a mode that it may enter yet is no contradiction, another one is", () => {
  const late = "The vehicle acknowledged the mode LAND but still reports GUIDED. It may enter it yet: look.";
  const shows = (customMode: number) =>
    given({ path: "land", status: 500, message: late, after: { ...flying, customMode } });
  expect(contradiction(shows(LAND), "copter")).toBeUndefined();
  expect(contradiction(shows(6), "copter")).toMatch(/from 4 to 6/);
});

test("PX4 that has climbed leaves its takeoff for its Hold, one that has not climbed does not", () => {
  const [takeoff, hold] = [customModeOf("px4-quad", "AUTO.TAKEOFF"), customModeOf("px4-quad", "AUTO.LOITER")];
  const left = (relativeAltitude: number) =>
    given({
      ...{ path: "set_mode", result: { mode: "AUTO.TAKEOFF" } },
      beats: [{ ...flying, customMode: Number(takeoff) }],
      after: { ...flying, customMode: Number(hold), relativeAltitude },
    });
  expect(contradiction(left(12.5), "px4-quad")).toBeUndefined();
  expect(contradiction(left(10), "px4-quad")).toMatch(/did not stay in AUTO.TAKEOFF/);
  const refused = given({
    ...{ path: "disarm_drone", status: 500 },
    before: { ...flying, customMode: Number(takeoff) },
    after: { ...flying, customMode: Number(hold) },
  });
  expect(contradiction(refused, "px4-quad")).toBeUndefined();
});

test("a vehicle that ends its landing disarms by itself, one in the air does not", () => {
  const refused = (relativeAltitude: number, path = "move") =>
    given({
      path,
      status: 500,
      before: { ...flying, relativeAltitude },
      after: { ...disarmed, customMode: LAND },
    });
  expect(contradiction(refused(0.1), "copter")).toBeUndefined();
  expect(contradiction(refused(10), "copter")).toMatch(/from 4 to 9/);
  expect(contradiction(refused(0.1, "disarm_drone"), "copter")).toMatch(/from 4 to 9/);
});

test("an unknown outcome claims nothing", () => {
  const unknown = { status: 500, message: "The order was sent, and the vehicle may have obeyed or not." };
  expect(contradiction(given({ path: "takeoff", ...unknown, after: disarmed }), "copter")).toBeUndefined();
});
