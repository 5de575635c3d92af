import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Db } from "../../platform/postgres/db";
import { atEndOfFile } from "../clean-up";
import { tapVehicle, type VehicleTap } from "../vehicle-tap";
import { interruptibleLink } from "./interruptible-link";
import type { SimulatedDrone } from "./simulated-drone";
import { startTestSimulator } from "./simulator";
import { startTestGateway, TEST_JWT_SECRET, type TestGateway, type TestUser } from "./start-gateway";

export const TEST_PEER_SECRET = "a secret between replicas";

/** Variables of a gateway that is one of several. */
export const REPLICA_ENV = {
  LINK_LEASES: "redis",
  GATEWAY_PEER_PORT: "0",
  GATEWAY_PEER_SECRET: TEST_PEER_SECRET,
};

export interface TestReplicas {
  readonly first: TestGateway;
  readonly second: TestGateway;
  /** The first one's connection to Redis. */
  readonly redisOfFirst: Awaited<ReturnType<typeof interruptibleLink>>;
}

/** Two gateways on one database and one Redis. */
export async function startReplicas(env: Record<string, string> = {}): Promise<TestReplicas> {
  const second = await startTestGateway({ ...REPLICA_ENV, ...env });
  const redisOfFirst = await interruptibleLink(second.redisUrl);
  const first = await startTestGateway({
    ...REPLICA_ENV,
    DATABASE_URL: second.databaseUrl,
    REDIS_URL: redisOfFirst.url,
    ...env,
  });
  return { first, second, redisOfFirst };
}

export interface TappedDrone extends SimulatedDrone {
  readonly tap: VehicleTap;
}

/** A user's simulated drone that is dialled through a tap, which listens on an address of loopback. */
export async function tappedDrone({ api }: Pick<TestUser, "api">, host = "127.0.0.1"): Promise<TappedDrone> {
  const { vehicle, stop } = await startTestSimulator([{ kind: "copter" }], 10);
  atEndOfFile(stop);
  const tap = await tapVehicle(vehicle, host);
  const { status, body } = await api.post("/drone", {
    type: "sitl",
    name: "tapped",
    vehicle_type: "copter",
    port: tap.port,
    link_host: host,
  });
  if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  return { id: body.id, ip: body.ip, vehicle, tap, stop };
}

/** Turns it into a physical drone at this loopback address, so that it is dialled through the jumphost. */
export async function makePhysical(db: Db, drone: TappedDrone, ip: string): Promise<void> {
  await db("vpn_addresses").insert({ ip, range: "drones" });
  await db("drones").where({ id: drone.id }).update({ type: "physical", ip, link_host: null });
}

/** A gateway as a process of its own, which may be killed and paused. */
export interface ReplicaProcess {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<void>;
}

/** One more replica of a running gateway's deployment, from compiled programs. */
export async function startReplicaProcess(
  programs: string,
  beside: TestGateway,
  env: Record<string, string> = {},
): Promise<ReplicaProcess> {
  const child = spawn(process.execPath, [join(programs, "cmd", "gateway.js")], {
    env: {
      PATH: process.env.PATH,
      TZ: "UTC",
      DATABASE_URL: beside.databaseUrl,
      REDIS_URL: beside.redisUrl,
      SMTP_URL: beside.mail.url,
      JWT_SECRET: TEST_JWT_SECRET,
      DEPLOYMENT: "local",
      WORKER_IN_PROCESS: "false",
      GATEWAY_PORT: "0",
      ...REPLICA_ENV,
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  atEndOfFile(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then(() => reject(new Error("The replica ended before it was ready.")));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = line.startsWith("{") ? (JSON.parse(line) as { msg?: string; url?: string }) : {};
      if (said.msg === "The gateway is ready" && said.url) resolve(said.url);
    });
  });
  return { url, signal: (name) => void child.kill(name), ended };
}
