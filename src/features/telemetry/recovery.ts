import { z } from "zod";
import type { Redis } from "../../platform/redis/client";
import { StreamRequest } from "./stream-request";

/** What a socket was, so that the one that comes after a drop of the network can be it again. */
const Remembered = z.object({
  user_id: z.int(),
  socket_id: z.string(),
  streams: z.array(StreamRequest),
});
export type Remembered = z.output<typeof Remembered>;

/** How long a socket may be away. */
export const AWAY_MS = 2 * 60 * 1000;
/** How often an open socket is remembered anew: a replica that is killed remembers nobody any more. */
export const KEEP_MS = 60 * 1000;

const lifeOf = (state: "open" | "away"): number => (state === "open" ? AWAY_MS + KEEP_MS : AWAY_MS);

/** Sockets' memory, each under a ticket that only its client knows. */
export interface Recovery {
  /** For as long as a socket may be away; one that is open is to be saved anew every `KEEP_MS`. */
  save(ticket: string, remembered: Remembered, state: "open" | "away"): Promise<void>;
  /** Undefined for a ticket that is unknown or too old. */
  load(ticket: string): Promise<Remembered | undefined>;
  drop(ticket: string): Promise<void>;
}

/** For a replica that is the only one; it forgets with the process. */
export function memoryRecovery(now: () => number = () => performance.now()): Recovery {
  const kept = new Map<string, { readonly remembered: Remembered; readonly until: number }>();
  let sweepAt = 0;
  const sweep = () => {
    if (now() < sweepAt) return;
    sweepAt = now() + AWAY_MS;
    for (const [ticket, { until }] of kept) if (until < now()) kept.delete(ticket);
  };
  return {
    save: async (ticket, remembered, state) => {
      sweep();
      kept.set(ticket, { remembered, until: now() + lifeOf(state) });
    },
    load: async (ticket) => {
      const found = kept.get(ticket);
      return found && found.until >= now() ? found.remembered : undefined;
    },
    drop: async (ticket) => void kept.delete(ticket),
  };
}

/** For a client that may come back to any replica. Rejects while Redis is away. */
export function redisRecovery(redis: Redis): Recovery {
  const key = (ticket: string) => `fleet:socket:${ticket}`;
  return {
    save: async (ticket, remembered, state) => {
      await redis.set(key(ticket), JSON.stringify(remembered), "PX", lifeOf(state));
    },
    load: async (ticket) => {
      const text = await redis.get(key(ticket));
      return text === null ? undefined : Remembered.safeParse(parseJson(text)).data;
    },
    drop: async (ticket) => void (await redis.del(key(ticket))),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
