import { Redis } from "ioredis";
import { freshRedis } from "../testing";
import { atEndOfFile } from "../testing/clean-up";
import { KeptLog } from "../testing/kept-log";
import { until } from "../testing/until";
import { REPLICA_ENV } from "../testing/worlds/replicas";
import { startTestGateway } from "../testing/worlds/start-gateway";

interface Readyz {
  readonly dependencies: Readonly<Record<string, string>>;
}

const NOT_SHARDED = ["-ssubscribe", "-spublish"];

/** A Redis, and somebody who may set its rights and end its connections. */
async function redisWithRights() {
  const { url } = await freshRedis();
  const operator = new Redis(url);
  atEndOfFile(async () => operator.disconnect());
  return {
    url,
    allow: (...rights: string[]) => operator.call("ACL", "SETUSER", "default", ...rights),
    endConnections: () => operator.call("CLIENT", "KILL", "SKIPME", "yes"),
  };
}

test.each(NOT_SHARDED)(
  "a gateway whose Redis has %s does not start as one of several, and says what to do",
  async (right) => {
    const redis = await redisWithRights();
    await redis.allow(right);
    await expect(startTestGateway({ ...REPLICA_ENV, REDIS_URL: redis.url })).rejects.toThrow(
      /Redis refuses sharded channels.*\+ssubscribe.*It says: NOPERM/,
    );
    await expect(startTestGateway({ REDIS_URL: redis.url })).resolves.toBeDefined();
  },
  60_000,
);

test.each([
  ["publish on", "-spublish", "+spublish"],
  ["subscribe to", "-ssubscribe", "+ssubscribe"],
])(
  "a Redis that refuses later to %s sharded channels is told in the log and at /readyz, until it no longer does",
  async (_what, forbidden, allowed) => {
    const redis = await redisWithRights();
    const log = new KeptLog();
    const env = { ...REPLICA_ENV, REDIS_URL: redis.url, LOG_LEVEL: "error" };
    const gateway = await startTestGateway(env, log);
    const told = async () =>
      ((await (await fetch(`${gateway.url}/readyz`)).json()) as Readyz).dependencies.sharded_channels;
    expect(await told()).toBe("up");
    await redis.allow(forbidden);
    await redis.endConnections();
    await until(async () => (await told()) === "down");
    await until(() => log.text.includes("Redis refuses sharded channels"));
    await redis.allow(allowed);
    await until(async () => (await told()) === "up");
  },
  60_000,
);
