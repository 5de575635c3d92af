import type { Socket } from "node:net";
import type { Logger } from "../../platform/process/log";
import { connectRedis } from "../../platform/redis/resp";
import type { LiveDrone } from "./admission";
import type { DroneUsers } from "./drone-users";
import { CommandReader, isAllowed } from "./redis-commands";

/** A drone's client sends a PING or a command now and then; one that does not is gone. */
const IDLE_MS = 120_000;
/** A drone that does not hang up after the final error is cut. */
const CLOSE_MS = 1_000;
/** When so many bytes wait for Redis, the drone is no longer read. */
const MAX_BUFFERED_BYTES = 262_144;

interface RedisProxyOptions {
  readonly url: string;
  readonly users: Pick<DroneUsers, "ensure">;
  readonly log: Logger;
  /** A drone sent a command that is not allowed. */
  readonly onRejected: () => void;
}

/**
 * Connects a drone to Redis, logged in as the drone's own user. Only commands that cannot change the user are
 * forwarded.
 */
export function redisProxy({ url, users, log, onRejected }: RedisProxyOptions) {
  const connectAs = async ({ ip }: LiveDrone): Promise<Socket> => {
    const login = await users.ensure(ip);
    const target = new URL(url);
    target.username = encodeURIComponent(login.username);
    target.password = encodeURIComponent(login.password);
    return connectRedis(target.href);
  };
  return async (client: Socket, drone: LiveDrone): Promise<void> => {
    client.pause();
    client.setNoDelay(true);
    client.setKeepAlive(true, 10_000);
    client.on("error", () => client.destroy());
    let redis: Socket;
    try {
      redis = await connectAs(drone);
    } catch (error) {
      log.warn({ drone: drone.ip, err: error }, "Cannot connect a drone to Redis");
      closeWith(client, "ERR Redis is away; connect again.");
      return;
    }
    if (client.destroyed) {
      redis.destroy();
      return;
    }
    relay(client, redis, (reason) => {
      onRejected();
      log.warn({ drone: drone.ip, reason }, "Rejected a Redis command from a drone");
    });
  };
}

function relay(client: Socket, redis: Socket, onRejected: (reason: string) => void): void {
  const reader = new CommandReader();
  const idle = setTimeout(() => client.destroy(), IDLE_MS);
  const reject = (reason: string) => {
    redis.destroy();
    client.off("data", read);
    closeWith(client, `NOPERM ${reason}`);
    onRejected(reason);
  };
  redis.on("error", () => redis.destroy());
  redis.on("drain", () => client.resume());
  redis.on("close", () => client.destroySoon());
  client.on("close", () => {
    clearTimeout(idle);
    redis.destroy();
  });
  const read = (chunk: Buffer) => {
    idle.refresh();
    try {
      for (const command of reader.push(chunk)) {
        if (redis.destroyed) return;
        if (!isAllowed(command)) {
          reject("A drone may PING, PUBLISH, SUBSCRIBE and UNSUBSCRIBE here.");
          return;
        }
        redis.write(command.bytes);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      reject(error.message);
    }
    if (redis.writableLength > MAX_BUFFERED_BYTES) client.pause();
  };
  client.on("data", read);
  redis.pipe(client, { end: false });
  client.resume();
}

/** Sends a final error. What the drone still sends is read and dropped: unread, it would make the system reset us. */
function closeWith(client: Socket, error: string): void {
  const limit = setTimeout(() => client.destroy(), CLOSE_MS);
  client.once("close", () => clearTimeout(limit));
  client.end(`-${error}\r\n`);
  client.resume();
}
