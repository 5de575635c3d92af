import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { join } from "node:path";
import { createUser, hashPassword, Tokens } from "../src/features/accounts";
import { saveSubscription } from "../src/features/billing";
import { type MailSink, startMail } from "../src/laptop/servers/mail";
import { startRedis } from "../src/laptop/servers/redis";
import { openDatabase } from "../src/platform/postgres/db";
import { systemClock } from "../src/platform/process/clock";
import { ApiClient } from "../src/testing/client";
import type { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "./database";
import { type Child, startChild } from "./relay/child";

const JWT_SECRET = "a secret for benchmarks only, of enough length";

export interface Customer {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

/** A gateway in a process of its own, on servers of its own. `stops` ends them all. */
export async function startBenchGateway(stops: CleanupStack, env: Readonly<Record<string, string>>) {
  const { folder, url: databaseUrl } = await startBenchDatabase(stops);
  const redis = await stops.keep(startRedis({ folder: join(folder, "redis"), durable: false }));
  const mail: MailSink = await stops.keep(startMail());
  const objects = await storeProcess(join(folder, "objects"), stops);
  const gateway: Child = startChild(join(__dirname, "gateway-process.js"), "0-1", {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url, SMTP_URL: mail.url, JWT_SECRET },
    ...{ S3_ENDPOINT: objects, S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
    ...{ GATEWAY_PORT: "0", GATEWAY_DRONE_PORT: "0", DEPLOYMENT: "local", LOG_LEVEL: "silent" },
    ...env,
  });
  stops.add(() => gateway.stop());
  const url = await gateway.ask<string>("url");
  const base = `${url}/api/v1`;
  const db = openDatabase(databaseUrl, { poolMax: 1, name: "fleet-bench" });
  stops.add(() => db.destroy());
  const password_hash = await hashPassword("correct horse battery");
  const newUser = (username: string) =>
    createUser(db, { username, password_hash, level: "CUSTOMER", active: true });
  return {
    ...{ url, base, db, mail, newUser, redisUrl: redis.url },
    pid: gateway.pid,
    countOrders: (times: number) => gateway.ask<void>("countOrders", times),
    cpuSeconds: () => gateway.ask<number>("cpuSeconds"),
    newCustomer: async (username: string): Promise<Customer> => {
      const { id } = await newUser(username);
      await saveSubscription(db, id, { status: "active", vehicle_count: 40 });
      return { id, username, token: new Tokens(JWT_SECRET, systemClock).pair(id).access_token };
    },
    /** A drone of the customer's whose vehicle listens on this port of the loopback. */
    newDrone: async ({ token }: Customer, vehiclePort: number): Promise<{ id: number; ip: string }> => {
      const link = { link_host: "127.0.0.1", port: vehiclePort };
      const sitl = { type: "sitl", name: "surveyor", vehicle_type: "copter", ...link };
      const { status, body } = await new ApiClient(base, token).post("/drone", sitl);
      if (status !== 201) throw new Error(`POST /drone: ${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}

async function storeProcess(folder: string, stops: CleanupStack): Promise<string> {
  const child = fork(join(__dirname, "archive", "store-process.js"), [folder]);
  stops.add(() => child.kill("SIGKILL"));
  // It stands for another machine: it must not take the CPU of the servers.
  setPriority(child.pid as number, 19);
  const [url] = (await once(child, "message")) as [string];
  return url;
}
