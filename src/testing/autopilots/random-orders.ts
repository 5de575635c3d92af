import { type LatLng, offsetBy } from "../../domain/geo";
import { modesOf, type Vehicle } from "../../vehicle/mavlink/mode-tables";
import { isPx4, vehicleOf } from "./autopilot";
import { square, storeFence, storePlan } from "./plans";
import type { TestedVehicle } from "./tested-vehicle";
import type { ObservedState } from "./witness";

type Random = () => number;
export type RandomOrder = readonly [path: string, body: Record<string, unknown>];

/** Seconds at a waypoint: a mission does not end by itself between two orders. */
const STAY = 3600;
/** Metres from home. */
const NEAR = 80;
const FENCE = 200;

/** Those of ArduPilot's copters that hold neither height nor place with centred sticks, or are not left by order. */
const UNSTEADY =
  /^(STABILIZE|ACRO|RATE_ACRO|DRIFT|SPORT|FLIP|AUTOTUNE|THROW|GUIDED_NOGPS|SYSTEMID|AUTOROTATE|TURTLE|FLOWHOLD)$/;

/** Names and values that the orders take. */
export interface Choices {
  readonly vehicle: Vehicle;
  readonly home: LatLng;
  readonly missions: readonly number[];
  readonly fences: readonly number[];
  readonly params: Readonly<Record<string, readonly number[]>>;
}

/** Stores plans that the vehicle takes and plans that it refuses. */
export async function choicesFor({ api, name }: TestedVehicle, home: ObservedState): Promise<Choices> {
  const leg = [{ north: 30 }, { north: 50, east: 20, altitude: 25, param1: STAY }, { east: 30 }];
  const missions = [
    await storePlan(api, home, leg),
    await storePlan(api, home, [{ command: 22 }, ...leg]),
    await storePlan(api, home, [{ east: -40, altitude: 12, param1: STAY }, { north: -20 }, { command: 20 }]),
    await storePlan(api, home, [{ north: 10 }, { north: 40, command: 9999 }, { east: 10 }]),
  ];
  const fences = [
    await storeFence(api, home, "inclusion", square(FENCE)),
    await storeFence(api, home, "inclusion", square(FENCE * 2)),
    await storeFence(api, home, "exclusion", square(20, FENCE - 40)),
    await storeFence(api, home, "inclusion", square(50, FENCE * 3)),
  ];
  return {
    vehicle: vehicleOf(name),
    home,
    missions: [...missions, 999_999],
    fences: [...fences, 999_999],
    params: isPx4(name)
      ? { NAV_ACC_RAD: [2, 3.5], COM_DL_LOSS_T: [10, 12, 10.5], GF_ACTION: [0, 1, 2], NO_SUCH_PARAM: [1] }
      : {
          RC10_TRIM: [1500, 1501, 1500.5],
          RC11_TRIM: [1499, 70_000],
          FENCE_ACTION: [0, 1],
          FENCE_ENABLE: [0, 1],
          NO_SUCH_PARAM: [1],
        },
  };
}

/** An order that makes sense or not, for a vehicle that is as it is seen. */
export function randomOrder(random: Random, choices: Choices, seen: ObservedState): RandomOrder {
  const { vehicle, home, missions, fences, params } = choices;
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const between = (least: number, most: number) => Math.round(least + (most - least) * random());
  const mostly = (likely: number, seldom: number) => (random() < 0.85 ? likely : seldom);
  const force = () => (random() < 0.3 ? { force: true } : {});
  const reach = () => mostly(NEAR, FENCE + 40);
  const setting = (): [string, number] => {
    const name = one(Object.keys(params));
    return [name, one(params[name] ?? [0])];
  };
  const mode = () => {
    const { entered, shown } = modesOf(vehicle);
    const steady = ([name]: [string, number]) =>
      !(seen.armed && vehicle.autopilot === "ardupilot" && vehicle.kind === "copter" && UNSTEADY.test(name));
    const all: [string, number][] = [...Object.entries({ ...entered, ...shown }), ["NO_SUCH_MODE", 77]];
    const [name, number] = one(all.filter(steady));
    return random() < 0.5 ? name.toLowerCase() : number;
  };
  const kinds: readonly (readonly [weight: number, order: () => RandomOrder])[] = [
    [3, () => [one(["arm", "arm_drone"]), force()]],
    [2, () => ["disarm_drone", {}]],
    [3, () => ["takeoff", { altitude: mostly(between(5, 25), 0.5) }]],
    [1, () => ["land", {}]],
    [1, () => ["rtl", {}]],
    [3, () => ["guided", {}]],
    [6, () => ["set_mode", { mode_info: { custom_mode: mode() } }]],
    [2, () => ["motortest", { motor_id: between(1, 6), percentage: between(5, 9) }]],
    [3, () => ["move", { x: between(-reach(), reach()), y: between(-reach(), reach()), z: between(8, 30) }]],
    [
      3,
      () => {
        const place = offsetBy(home, between(-reach(), reach()), between(-reach(), reach()));
        return ["goto_gps_location", { ...place, altitude: between(8, 30) }];
      },
    ],
    [3, () => ["push_mission", { mission_id: one(missions), ...force() }]],
    [2, () => ["start_mission", random() < 0.5 ? {} : { takeoff_altitude: between(6, 20) }]],
    [3, () => ["push_geofence", { geofence_id: one(fences), ...force() }]],
    [1, () => ["clear_fence", {}]],
    [1, () => ["sync_geofences", force()]],
    [
      1,
      () => {
        const [param_id, value] = setting();
        return ["set_param", { param_id, value }];
      },
    ],
    [1, () => ["set_params", { params: Object.fromEntries([setting(), setting(), setting()]) }]],
  ];
  let at = random() * kinds.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, order] of kinds) {
    at -= weight;
    if (at < 0) return order();
  }
  return ["guided", {}];
}
