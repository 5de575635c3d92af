import { connect } from "node:net";
import { join } from "node:path";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Redis } from "ioredis";
import pg from "pg";
import type { Environment } from "../../platform/config";
import { openObjects } from "../../platform/objects/client";
import { startMail } from "../servers/mail";
import { startObjects } from "../servers/objects";
import { startPostgres } from "../servers/postgres";
import { startRedis } from "../servers/redis";
import type { Part } from "./part";

/** The services beside ours: taken from the environment when it names one, embedded otherwise. */

export const database: Part = {
  name: "Postgres",
  async start({ env, folder, secrets }) {
    if (env.DATABASE_URL) {
      await answers("DATABASE_URL", async () => {
        const client = new pg.Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
        await client.connect();
        await client.end();
      });
      return { ready: { database: env.DATABASE_URL } };
    }
    const server = await startPostgres({
      folder: join(folder, "postgres"),
      password: secrets.databasePassword,
      database: "fleet",
      durable: true,
    });
    return { ...server, ready: { database: server.url }, env: { DATABASE_URL: server.url } };
  },
};

export const redis: Part = {
  name: "Redis",
  async start({ env, folder }) {
    const given = env.REDIS_URL;
    if (given) {
      await answers("REDIS_URL", async () => {
        const client = new Redis(given, {
          lazyConnect: true,
          retryStrategy: () => null,
          connectTimeout: 5_000,
        });
        // connect() rejects with "Connection is closed"; the event ready why.
        let fault: Error | undefined;
        client.on("error", (error) => {
          fault = error;
        });
        await client.connect().catch((error: Error) => {
          throw fault ?? error;
        });
        client.disconnect();
      });
      return { ready: { redis: given } };
    }
    const server = await startRedis({ folder: join(folder, "redis"), durable: true });
    return { ...server, ready: { redis: server.url }, env: { REDIS_URL: server.url } };
  },
};

export const objects: Part = {
  name: "the object store",
  async start({ env, folder }) {
    const buckets = [env.S3_BUCKET ?? "fleet", env.S3_VPN_BUCKET ?? "fleet-vpn"];
    if (env.S3_ENDPOINT) {
      const client = openObjects({ ...env, S3_REGION: env.S3_REGION ?? "us-east-1" });
      for (const bucket of buckets) {
        await answers(`bucket ${bucket} at S3_ENDPOINT`, () => canRead(client, bucket));
      }
      client.destroy();
      return { ready: { s3: env.S3_ENDPOINT } };
    }
    const server = await startObjects({ folder: join(folder, "objects"), buckets });
    const variables: Environment = {
      S3_ENDPOINT: server.url,
      S3_ACCESS_KEY_ID: server.accessKeyId,
      S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    return { ready: { s3: server.url }, env: variables, stop: server.stop };
  },
};

/** Asks for an object that is not there: a bucket that is there ready so. (s3rver fails requests on a bucket.) */
async function canRead(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new GetObjectCommand({ Bucket: bucket, Key: "is-anybody-there" }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "NoSuchKey") throw error;
  }
}

export const mail: Part = {
  name: "the mail server",
  async start({ env, tell }) {
    if (env.SMTP_URL) {
      const { hostname, port, protocol } = new URL(env.SMTP_URL);
      const usual = protocol === "smtps:" ? 465 : 587;
      await answers("SMTP_URL", () => connectOnce(hostname, Number(port) || usual));
      return { ready: { smtp: env.SMTP_URL } };
    }
    const sink = await startMail({
      onMail: ({ to, subject, links }) =>
        tell(`Mail to ${to.join(", ")}: ${subject}${links.map((link) => `\n     ${link}`).join("")}`),
    });
    return { ready: { smtp: sink.url }, env: { SMTP_URL: sink.url }, stop: sink.stop };
  },
};

async function answers(name: string, tryIt: () => Promise<unknown>): Promise<void> {
  try {
    await tryIt();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new Error(`${name}, taken from the environment, does not answer: ${reason}`, { cause });
  }
}

/** Resolves when something accepts a TCP connection there. */
export function connectOnce(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const settle = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.once("connect", () => settle());
    socket.once("timeout", () => settle(new Error(`no answer from ${host}:${port}`)));
    socket.once("error", settle);
  });
}
