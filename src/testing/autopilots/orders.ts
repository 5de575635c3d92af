import type { LatLng } from "../../domain/geo";
import { contents, missionOnBoard } from "./plans";
import type { TestedVehicle } from "./tested-vehicle";
import type { ObservedState, ReceivedMessage } from "./witness";

/** An order, its answer, and what the witness saw around it. */
export interface GivenOrder {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly status: number;
  readonly message: string;
  /** What the reply says that the vehicle acknowledged; empty in an error. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly before: ObservedState;
  /** At the end: three seconds after the answer, or when the vehicle has agreed with it. */
  readonly after: ObservedState;
  /** Every heartbeat from just before the order on. */
  readonly beats: readonly Pick<ObservedState, "at" | "armed" | "customMode">[];
  readonly texts: readonly string[];
  /** SERVO_OUTPUT_RAW from just before the order on. */
  readonly outputs: readonly ReceivedMessage[];
  /** The items on board before and after an order that is about a plan. */
  readonly plans?: { readonly before: Plans; readonly after: Plans } | undefined;
  /** The points that the owner has stored of the plan that the order names. */
  readonly stored: readonly StoredPoint[];
  readonly home: LatLng;
  /** The parameters that the order or its answer names. Those of the answer alone are not known from before. */
  readonly params: Readonly<Record<string, { readonly before: number | undefined; readonly after: number }>>;
}

/** The mission and the fence on board, and the number of the mission's item that is next. */
interface Plans {
  readonly mission: readonly object[];
  readonly fence: readonly object[];
  readonly current: number;
}

export interface StoredPoint {
  readonly command: number;
  readonly sequence: number;
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** Seconds of the vehicle's clock in which an order that was refused has shown no effect; to go somewhere takes longer. */
const WATCHED = 3;
const WATCHED_REFUSAL_TO_GO = 10;
const GOES = /^(takeoff|start_mission|move|goto_gps_location)$/;
/** Seconds of the vehicle's clock that it may take to show what an answer says that it does. */
const PATIENCE = 36;
const ABOUT_PLANS = /^(push_mission|push_geofence|clear_fence|sync_geofences)$/;

/**
 * Gives an order and watches the vehicle: for some seconds of its clock after the answer, and when `contradicts` finds
 * that it does not do what the answer says, until it does, or for 36 seconds of its clock.
 */
export async function giveOrder(
  vehicle: TestedVehicle,
  path: string,
  body: Record<string, unknown> = {},
  contradicts: (given: GivenOrder) => string | undefined = () => undefined,
): Promise<GivenOrder> {
  const { witness, order } = vehicle;
  const aboutPlans = ABOUT_PLANS.test(path);
  const stored = await storedPoints(vehicle, body);
  const plansBefore = aboutPlans ? await plansOf(vehicle) : undefined;
  const paramsBefore = await readParams(vehicle, namedIn(body));
  const { latitude, longitude } = await witness.request("HOME_POSITION");
  const home = { lat: Number(latitude) / 1e7, lng: Number(longitude) / 1e7 };
  const before = await witness.fresh();
  const since = await witness.sync();
  const reply = await order(path, body);
  const result = reply.status === 200 ? reply.body.result : {};
  const answered = (await witness.fresh()).clock;
  const watchedFor = reply.status !== 200 && GOES.test(path) ? WATCHED_REFUSAL_TO_GO : WATCHED;
  for (;;) {
    const after = await witness.fresh();
    const watched = after.clock - answered;
    if (watched < watchedFor) continue;
    const paramsAfter = await readParams(vehicle, [...namedIn(body), ...namedIn(result)]);
    const given: GivenOrder = {
      ...{ path, body, result, home, before, after, stored, texts: await witness.texts(since) },
      status: reply.status,
      message: JSON.stringify(reply.body),
      beats: (await witness.since("HEARTBEAT", since)).map((beat) => ({
        at: beat.at,
        armed: (Number(beat.base_mode) & ARMED) !== 0,
        customMode: Number(beat.custom_mode),
      })),
      outputs: await witness.since("SERVO_OUTPUT_RAW", since),
      plans: plansBefore && { before: plansBefore, after: await plansOf(vehicle) },
      params: Object.fromEntries(
        Object.entries(paramsAfter).map(([name, value]) => [
          name,
          { before: paramsBefore[name], after: value },
        ]),
      ),
    };
    if (reply.status !== 200 || watched > PATIENCE || contradicts(given) === undefined) return given;
  }
}

async function plansOf(vehicle: TestedVehicle): Promise<Plans> {
  const { witness } = vehicle;
  const mission = contents(await missionOnBoard(vehicle));
  const fence = contents(await witness.plan(1));
  return { mission, fence, current: Number((await witness.request("MISSION_CURRENT")).seq) };
}

async function storedPoints({ api }: TestedVehicle, body: Record<string, unknown>): Promise<StoredPoint[]> {
  if (body.mission_id) return (await api.get(`/mission/${body.mission_id}`)).body.mission_points ?? [];
  if (body.geofence_id) return (await api.get(`/geofence/${body.geofence_id}`)).body.geofence_points ?? [];
  return [];
}

/** The names of all parameters in a body or a result, at any depth. */
function namedIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "param_id") return [String(inner)];
    if (key === "params" && !Array.isArray(inner)) return Object.keys(inner as object);
    return namedIn(inner);
  });
}

/** Those that the vehicle has. */
async function readParams(
  { witness }: TestedVehicle,
  names: readonly string[],
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of new Set(names)) {
    const value = await witness.param(name).catch(() => undefined);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
