import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
import type { Redis } from "../platform/redis/client";

/** Begins as Socket.IO's own channels do, to which a user's rights may be limited. */
const CHANNEL = "socket.io#fleet:probe#";
/** Redis away is another fault, and no refusal. */
const PATIENCE_MS = 2_000;

const WHAT_TO_DO =
  "Redis refuses sharded channels, so that watchers at other replicas see nothing: use Redis 7.0 or newer, and give its user +ssubscribe +sunsubscribe +spublish +subscribe +publish and the channels &socket.io* &fleet:links:close";

export interface ShardedChannels {
  /** Rejects with what to do when Redis refuses. */
  ask(): Promise<void>;
  /** Rejects while Redis refuses, as far as is known from its newest connections. */
  probe(): Promise<void>;
}

/** Whether Redis lets replicas reach each other's watchers, asked anew at each connection and told in the log. */
export function shardedChannels(publisher: Redis, subscriber: Redis, log: Logger): ShardedChannels {
  let refusal: Error | undefined;
  const ask = async () => {
    refusal = await refusalOf(publisher, subscriber);
    if (refusal) throw new Error(`${WHAT_TO_DO}. It says: ${refusal.message}`, { cause: refusal });
  };
  const askAndTell = () => ask().catch((error: Error) => log.error(error.message));
  for (const connection of [publisher, subscriber]) connection.on("ready", () => void askAndTell());
  return {
    ask,
    probe: async () => {
      if (refusal) await ask();
    },
  };
}

async function refusalOf(publisher: Redis, subscriber: Redis): Promise<Error | undefined> {
  const answers = [publisher.spublish(CHANNEL, ""), subscriber.ssubscribe(CHANNEL)].map((answer) =>
    answer.then(
      () => undefined,
      (error: Error) => (error.name === "ReplyError" ? error : undefined),
    ),
  );
  const late = delay(PATIENCE_MS, undefined, { ref: false });
  const [first, second] = await Promise.all(answers.map((answer) => Promise.race([answer, late])));
  return first ?? second;
}
