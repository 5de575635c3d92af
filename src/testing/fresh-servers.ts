import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type JanusServer, startJanus } from "../laptop/servers/janus";
import { type MailSink, startMail } from "../laptop/servers/mail";
import { type EmbeddedObjects, startObjects } from "../laptop/servers/objects";
import { type EmbeddedRedis, startRedis } from "../laptop/servers/redis";
import { createLogger } from "../platform/process/log";
import { openRedis, type Redis, redisReady } from "../platform/redis/client";
import { atEndOfFile } from "./clean-up";
import { runFolder } from "./run-folder";

/** A folder for the caller, removed after the run. */
export const freshFolder = (name: string): string => mkdtempSync(join(runFolder(), `${name}-`));

const stoppedAtEnd = <Server extends { stop(): Promise<void> }>(server: Server): Server => {
  atEndOfFile(() => server.stop());
  return server;
};

/** A Redis server for the caller, without persistence. */
export const freshRedis = async (): Promise<EmbeddedRedis> =>
  stoppedAtEnd(await startRedis({ folder: freshFolder("redis"), durable: false }));

/** A client of a Redis server, once it is connected. */
export async function redisClient(url: string): Promise<Redis> {
  const redis = openRedis(url, createLogger("test", "silent"));
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  return redis;
}

/** An S3-compatible store for the caller with these buckets, empty. */
export const freshObjects = async (...buckets: string[]): Promise<EmbeddedObjects> =>
  stoppedAtEnd(await startObjects({ folder: freshFolder("objects"), buckets }));

/** A mail server for the caller, with the received mails in `mails`. */
export const freshMail = async (delayMs = 0): Promise<MailSink> => stoppedAtEnd(await startMail({ delayMs }));

/** A Janus media server for the caller, on a free port unless one is given. */
export async function freshJanus(
  port?: number,
): Promise<JanusServer & Record<"apiSecret" | "adminKey", string>> {
  const keys = { apiSecret: "an api secret", adminKey: "an admin key" };
  return { ...stoppedAtEnd(await startJanus({ folder: freshFolder("janus"), port, ...keys })), ...keys };
}
