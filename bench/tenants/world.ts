import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createUser, hashPassword, Tokens } from "../../src/features/accounts";
import { saveSubscription } from "../../src/features/billing";
import { type MailSink, startMail } from "../../src/laptop/servers/mail";
import { startRedis } from "../../src/laptop/servers/redis";
import { openDatabase } from "../../src/platform/postgres/db";
import { systemClock } from "../../src/platform/process/clock";
import { startSimulator } from "../../src/simvehicle";
import { ApiClient } from "../../src/testing/client";
import { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { insertMissions } from "../../src/testing/worlds/plans";
import { startBenchDatabase } from "../database";
import { type Child, startChild } from "../relay/child";

const JWT_SECRET = "a secret for benchmarks only, of enough length";
/** All that a user may have, in one reply of 17 MB. */
const LONGEST_LIST = { plans: 10, pointsEach: 2_000, label: "漢".repeat(200) };
const ZURICH = { lat: 47.397742, lng: 8.545594, altitude: 488 };

/** What an attack needs of its tenant, as JSON. */
export interface Tenant {
  readonly base: string;
  readonly username: string;
  readonly token: string;
  readonly droneId: number;
  readonly droneIp: string;
}

type Customer = Pick<Tenant, "username" | "token">;

export interface TenantsWorld {
  readonly url: string;
  /** The tenant whose service is measured, with a vehicle that flies. */
  readonly victim: Tenant;
  /** The other tenant, with a drone that no attack has used yet. */
  newAttack(): Promise<Tenant>;
  readonly mail: MailSink;
  /** Users who may ask for a reset mail, each once. */
  readonly mailboxes: readonly string[];
  /** Peak of the gateway's memory so far, in MB. */
  peakMegabytes(): number;
  cpuSeconds(): Promise<number>;
  clear(): Promise<void>;
}

/** A gateway in a process of its own, on servers of its own, with two tenants. */
export async function startTenantsWorld(env: Readonly<Record<string, string>>): Promise<TenantsWorld> {
  const stops = new CleanupStack();
  try {
    const { folder, url: databaseUrl } = await startBenchDatabase(stops);
    const redis = await stops.keep(startRedis({ folder: join(folder, "redis"), durable: false }));
    const mail = await stops.keep(startMail());
    const objects = await storeProcess(join(folder, "objects"), stops);
    const simulator = await stops.keep(
      startSimulator({
        host: "127.0.0.1",
        speedUp: 1,
        vehicles: [
          { kind: "copter", autopilot: "ardupilot", home: ZURICH, systemId: 1, bootSeconds: 0, port: 0 },
        ],
      }),
    );
    const port = simulator.vehicles[0]?.ports[0].port;
    const gateway: Child = startChild(join(__dirname, "gateway-process.js"), "0-1", {
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url, SMTP_URL: mail.url, JWT_SECRET },
      ...{ S3_ENDPOINT: objects, S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
      ...{ GATEWAY_PORT: "0", GATEWAY_DRONE_PORT: "0", DEPLOYMENT: "local", LOG_LEVEL: "silent" },
      ...{ LINK_CONNECT_TIMEOUT_MS: "2000", TRUSTED_PROXIES: "127.0.0.1", ...env },
    });
    stops.add(() => gateway.stop());
    const url = await gateway.ask<string>("url");
    const db = openDatabase(databaseUrl, { poolMax: 1, name: "fleet-bench" });
    stops.add(() => db.destroy());
    const password_hash = await hashPassword("correct horse battery");
    const newUser = (username: string) =>
      createUser(db, { username, password_hash, level: "CUSTOMER", active: true });
    const base = `${url}/api/v1`;
    const newCustomer = async (username: string) => {
      const { id } = await newUser(username);
      await saveSubscription(db, id, { status: "active", vehicle_count: 40 });
      return { id, username, token: new Tokens(JWT_SECRET, systemClock).pair(id).access_token };
    };
    const withDrone = async ({ username, token }: Customer, vehiclePort: number): Promise<Tenant> => {
      const link = { link_host: "127.0.0.1", port: vehiclePort };
      const sitl = { type: "sitl", name: "surveyor", vehicle_type: "copter", ...link };
      const { status, body } = await new ApiClient(base, token).post("/drone", sitl);
      if (status !== 201) throw new Error(`POST /drone: ${status} ${JSON.stringify(body)}`);
      return { base, username, token, droneId: body.id, droneIp: body.ip };
    };
    const victim = await withDrone(await newCustomer("victim@example.com"), port ?? 0);
    const attacker = await newCustomer("attacker@example.com");
    await insertMissions(db, attacker.id, LONGEST_LIST);
    const mailboxes = Array.from({ length: 40 }, (_, at) => `pilot-${at}@example.com`);
    for (const mailbox of mailboxes) await newUser(mailbox);
    const peakMegabytes = () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;
    return {
      ...{ url, victim, mail, mailboxes, peakMegabytes },
      newAttack: () => withDrone(attacker, 1),
      cpuSeconds: () => gateway.ask<number>("cpuSeconds"),
      clear: () => stops.clear(),
    };
  } catch (error) {
    await stops.clear();
    throw error;
  }
}

async function storeProcess(folder: string, stops: CleanupStack): Promise<string> {
  const child = fork(join(__dirname, "..", "archive", "store-process.js"), [folder]);
  stops.add(() => child.kill("SIGKILL"));
  const [url] = (await once(child, "message")) as [string];
  return url;
}
