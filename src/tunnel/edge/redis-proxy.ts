import type { Socket } from "node:net";
import type { Logger } from "../../platform/process/log";
import { connectRedis, encodeCommand } from "../../platform/redis/resp";
import { type Reply, RespReader } from "../../platform/redis/resp-reader";
import { TokenBucket } from "../../platform/token-bucket";
import type { LiveDrone } from "./admission";
import type { DroneUsers } from "./drone-users";

/** A drone's client sends a PING or a command now and then; one that does not is gone. */
const IDLE_MS = 120_000;
/** A drone that does not hang up after the final error is cut. */
const CLOSE_MS = 1_000;
/** When so many bytes wait for Redis, the drone is no longer read. */
const MAX_BUFFERED_BYTES = 262_144;
/** A drone that leaves so much unread is cut: Redis would keep the rest in its memory. Half a minute of stick frames. */
const MAX_UNREAD_BYTES = 262_144;
/** Of one drone, on all its connections: ten times what an agent and lists of markers at 30 Hz need. */
const BYTES_PER_SECOND = 262_144;
/** Stick answers, video messages and marker lists are far smaller. */
const MAX_COMMAND_BYTES = 131_072;
/** Each read and each command counts as so many bytes at least, for what it costs the edge and Redis. */
const MIN_COST = 512;

const logMessages = {
  not_allowed: "Rejected a Redis command from a drone",
  not_reading: "Cut a drone that does not read from Redis",
} as const;
export type RedisRefusal = keyof typeof logMessages;

interface RedisProxyOptions {
  readonly url: string;
  readonly users: Pick<DroneUsers, "ensure">;
  readonly log: Logger;
  readonly onRejected: (reason: RedisRefusal) => void;
  readonly bytesPerSecond?: number | undefined;
}

/**
 * Connects a drone to Redis, logged in as the drone's own user. Only commands that cannot change the user are
 * forwarded, encoded anew, so that Redis reads only checked commands. Redis is always read, whatever the drone does.
 */
export function redisProxy(options: RedisProxyOptions) {
  const { url, users, log, onRejected, bytesPerSecond = BYTES_PER_SECOND } = options;
  /** By address, of which the plane has a bounded number: a drone that reconnects goes on with what it has left. */
  const allowances = new Map<string, TokenBucket>();
  const allowanceOf = (ip: string): TokenBucket => {
    const allowance = allowances.get(ip) ?? new TokenBucket(bytesPerSecond);
    allowances.set(ip, allowance);
    return allowance;
  };
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
    relay(client, redis, allowanceOf(drone.ip), (refusal, reason) => {
      onRejected(refusal);
      log.warn({ drone: drone.ip, reason }, logMessages[refusal]);
    });
  };
}

function relay(
  client: Socket,
  redis: Socket,
  allowance: TokenBucket,
  onRejected: (refusal: RedisRefusal, reason: string) => void,
): void {
  const idle = setTimeout(() => client.destroy(), IDLE_MS);
  let throttled: NodeJS.Timeout | undefined;
  const reject = (reason: string) => {
    redis.destroy();
    client.off("data", read);
    closeWith(client, `NOPERM ${reason}`);
    onRejected("not_allowed", reason);
  };
  const resume = () => {
    if (!throttled && redis.writableLength <= MAX_BUFFERED_BYTES) client.resume();
  };
  const pauseFor = (ms: number) => {
    client.pause();
    clearTimeout(throttled);
    throttled = setTimeout(() => {
      throttled = undefined;
      resume();
    }, ms);
  };
  redis.on("error", () => redis.destroy());
  redis.on("drain", resume);
  redis.on("close", () => client.destroySoon());
  client.on("close", () => {
    clearTimeout(idle);
    clearTimeout(throttled);
    redis.destroy();
  });
  let commands = 0;
  const reader = new RespReader((command) => {
    if (redis.destroyed) return;
    if (!isAllowed(command)) reject("A drone may PING, PUBLISH, SUBSCRIBE and UNSUBSCRIBE here.");
    else {
      commands++;
      redis.write(encodeCommand(...command));
    }
  }, MAX_COMMAND_BYTES);
  const read = (chunk: Buffer) => {
    idle.refresh();
    commands = 0;
    try {
      reader.push(chunk);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (!redis.destroyed) reject(error.message);
    }
    if (redis.destroyed) return;
    const waitMs = allowance.take(Math.max(chunk.length, MIN_COST * Math.max(1, commands)));
    if (waitMs > 0) pauseFor(waitMs);
    else if (redis.writableLength > MAX_BUFFERED_BYTES) client.pause();
  };
  client.on("data", read);
  redis.on("data", (chunk) => {
    client.write(chunk);
    if (client.destroyed || client.writableLength <= MAX_UNREAD_BYTES) return;
    client.destroy();
    onRejected("not_reading", "The drone does not read what it subscribed to.");
  });
  client.resume();
}

/** Clients ask INFO and CLIENT as they connect; Redis denies them to a drone's user, and clients go on. */
const allowed = ["ping", "subscribe", "unsubscribe", "publish", "quit", "hello", "info", "client"];

/**
 * Whether Redis may see the command. Redis's ACL restricts a drone's commands and channels, but cannot deny AUTH, RESET
 * and HELLO with AUTH, which change the user: HELLO is forwarded with a version and nothing behind it.
 */
function isAllowed(command: Reply): command is readonly Buffer[] {
  if (!Array.isArray(command) || !command.every(Buffer.isBuffer)) return false;
  const [first, ...rest] = command;
  const name = String(first).toLowerCase();
  return name === "hello" ? ["", "2", "3"].includes(rest.join(" ")) : allowed.includes(name);
}

/** Sends a final error. Later bytes of the drone are read and dropped: unread, they would make the system reset us. */
function closeWith(client: Socket, error: string): void {
  const limit = setTimeout(() => client.destroy(), CLOSE_MS);
  client.once("close", () => clearTimeout(limit));
  client.end(`-${error}\r\n`);
  client.resume();
}
