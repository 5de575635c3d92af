import { setTimeout as delay } from "node:timers/promises";
import type { LatLng } from "../../domain/geo";
import type { Flown } from "./flown";
import type { Heard, Seen } from "./witness";

/** An order, its answer, and what the witness saw around it. */
export interface Ordered {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly status: number;
  readonly message: string;
  /** What the reply says that the vehicle acknowledged; empty in an error. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly before: Seen;
  /** At the end: a second after the answer, or when the vehicle has agreed with it. */
  readonly after: Seen;
  /** Every heartbeat from just before the order on. */
  readonly beats: readonly Seen[];
  readonly texts: readonly string[];
  /** SERVO_OUTPUT_RAW from just before the order on. */
  readonly outputs: readonly Heard[];
  /** The items on board before and after an order that is about a plan. */
  readonly plans?: { readonly before: Plans; readonly after: Plans } | undefined;
  readonly home: LatLng;
  /** The parameters that the order names, as they are afterwards. */
  readonly params: Readonly<Record<string, number>>;
}

/** The mission and the fence on board, as text to be compared, and how many items they have. */
interface Plans {
  readonly mission: { readonly count: number; readonly items: string };
  readonly fence: { readonly count: number; readonly items: string };
}

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** How long the vehicle may take to show what an answer says that it does. */
const PATIENCE_MS = 12_000;
const ABOUT_PLANS = /^(push_mission|push_geofence|clear_fence|sync_geofences)$/;

/**
 * Gives an order and watches the vehicle: for a second after the answer, and when `contradicts` finds that it does not do
 * what the answer says, until it does, or for twelve seconds.
 */
export async function ordered(
  flown: Flown,
  path: string,
  body: Record<string, unknown> = {},
  contradicts: (given: Ordered) => string | undefined = () => undefined,
): Promise<Ordered> {
  const { witness, order } = flown;
  const aboutPlans = ABOUT_PLANS.test(path);
  const plansBefore = aboutPlans ? await plansOf(flown) : undefined;
  const { latitude, longitude } = await witness.request("HOME_POSITION");
  const home = { lat: Number(latitude) / 1e7, lng: Number(longitude) / 1e7 };
  const before = await witness.fresh();
  const since = await witness.now();
  const reply = await order(path, body);
  const patience = performance.now() + PATIENCE_MS;
  await delay(1_000);
  for (;;) {
    const after = await witness.fresh();
    const heard = await witness.since(["HEARTBEAT"], since);
    const given: Ordered = {
      ...{ path, body, home, before, after, texts: await witness.texts(since) },
      status: reply.status,
      message: JSON.stringify(reply.body),
      result: reply.status === 200 ? reply.body.result : {},
      beats: heard.map((beat) => ({
        ...after,
        at: beat.at,
        armed: (Number(beat.base_mode) & ARMED) !== 0,
        customMode: Number(beat.custom_mode),
      })),
      outputs: await witness.since(["SERVO_OUTPUT_RAW"], since),
      plans: plansBefore && { before: plansBefore, after: await plansOf(flown) },
      params: await paramsOf(flown, body),
    };
    if (reply.status !== 200 || performance.now() > patience || contradicts(given) === undefined)
      return given;
    await delay(300);
  }
}

async function plansOf({ witness }: Flown): Promise<Plans> {
  const read = async (kind: 0 | 1) => {
    const items = await witness.plan(kind);
    const compared = items.map(({ at: _, current: __, ...item }) => item);
    return { count: items.length, items: JSON.stringify(compared) };
  };
  return { mission: await read(0), fence: await read(1) };
}

async function paramsOf({ witness }: Flown, body: Record<string, unknown>): Promise<Record<string, number>> {
  const names = [...(body.param_id ? [String(body.param_id)] : []), ...Object.keys(body.params ?? {})];
  const found: Record<string, number> = {};
  for (const name of names) found[name] = await witness.param(name);
  return found;
}
