import { setTimeout as delay } from "node:timers/promises";
import type { Flown } from "./flown";
import type { Seen } from "./witness";

/** An order, its answer, and what the witness saw around it. */
export interface Ordered {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly status: number;
  readonly message: string;
  readonly before: Seen;
  /** A second after the answer. */
  readonly after: Seen;
  /** Every heartbeat from just before the order on. */
  readonly beats: readonly Seen[];
  readonly texts: readonly string[];
}

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;

/** Gives an order and watches the vehicle until a second after its answer. */
export async function ordered(
  { witness, order }: Flown,
  path: string,
  body: Record<string, unknown> = {},
): Promise<Ordered> {
  const before = await witness.fresh();
  const since = await witness.now();
  const reply = await order(path, body);
  await delay(1_000);
  const after = await witness.fresh();
  const heard = await witness.since(["HEARTBEAT"], since);
  return {
    ...{ path, body, before, after, texts: await witness.texts(since) },
    status: reply.status,
    message: JSON.stringify(reply.body),
    beats: heard.map((beat) => ({
      ...after,
      at: beat.at,
      armed: (Number(beat.base_mode) & ARMED) !== 0,
      customMode: Number(beat.custom_mode),
    })),
  };
}

/**
 * What of an answer the vehicle contradicts, in words; undefined when it agrees. An order whose outcome is unknown claims
 * nothing.
 */
export function contradiction({ path, status, message, before, after, beats }: Ordered): string | undefined {
  const isDone = status === 200;
  if (!isDone && message.includes("outcome_unknown")) return undefined;
  const wasArmed = beats.some(({ armed }) => armed);
  const wasDisarmed = beats.some(({ armed }) => !armed);
  const changedMode = beats.some(({ customMode }) => customMode !== before.customMode);
  const said = `${path} answered ${status} (${message})`;
  if (!isDone && changedMode && after.customMode !== before.customMode)
    return `${said}, and the mode went from ${before.customMode} to ${after.customMode}`;
  if (path === "arm" || path === "arm_drone") {
    if (isDone && !wasArmed) return `${said}, and the vehicle is not armed`;
    if (!isDone && !before.armed && wasArmed) return `${said}, and the vehicle is armed`;
  }
  if (path === "disarm_drone") {
    if (isDone && !wasDisarmed) return `${said}, and the vehicle is armed`;
    if (!isDone && before.armed && !after.armed) return `${said}, and the vehicle is disarmed`;
  }
  if (path === "takeoff" && isDone && !wasArmed) return `${said}, and the vehicle is not armed`;
  return undefined;
}
