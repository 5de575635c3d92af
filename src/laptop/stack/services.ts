import { join } from "node:path";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { Environment } from "../../platform/config";
import { openObjects } from "../../platform/objects/client";
import { assertReachable } from "../../platform/process/reachability";
import { startMail } from "../servers/mail";
import { startObjects } from "../servers/objects";
import { startPostgres } from "../servers/postgres";
import { startRedis } from "../servers/redis";
import type { Component } from "./component";

/** Postgres, Redis, object store and mail: the ones that the environment names, otherwise embedded ones. */

export const database: Component = {
  name: "Postgres",
  async start({ env, folder, secrets }) {
    const given = env.DATABASE_URL;
    if (given) {
      await answers("DATABASE_URL", () => assertReachable(given));
      return { ready: { database: given } };
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

export const redis: Component = {
  name: "Redis",
  async start({ env, folder }) {
    const given = env.REDIS_URL;
    if (given) {
      await answers("REDIS_URL", () => assertReachable(given));
      return { ready: { redis: given } };
    }
    const server = await startRedis({ folder: join(folder, "redis"), durable: true });
    return { ...server, ready: { redis: server.url }, env: { REDIS_URL: server.url } };
  },
};

export const objects: Component = {
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

/** Reads an object that does not exist: an existing bucket answers NoSuchKey. s3rver fails requests on a bucket itself. */
async function canRead(client: S3Client, bucket: string): Promise<void> {
  try {
    await client.send(new GetObjectCommand({ Bucket: bucket, Key: "no-such-object" }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "NoSuchKey") throw error;
  }
}

export const mail: Component = {
  name: "the mail server",
  async start({ env, print }) {
    const given = env.SMTP_URL;
    if (given) {
      await answers("SMTP_URL", () => assertReachable(given));
      return { ready: { smtp: given } };
    }
    const sink = await startMail({
      onMail: ({ to, subject, links }) =>
        print(`Mail to ${to.join(", ")}: ${subject}${links.map((link) => `\n     ${link}`).join("")}`),
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
