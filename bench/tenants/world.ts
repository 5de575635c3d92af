import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { MailSink } from "../../src/laptop/servers/mail";
import { startSimulator } from "../../src/simvehicle";
import { runCleanUps } from "../../src/testing/clean-up";
import { type CountingVehicle, startCountingVehicle } from "../../src/testing/fakes/counting-vehicle";
import { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { insertMissions } from "../../src/testing/worlds/plans";
import { type Customer, startBenchGateway } from "../gateway";
import { startChild } from "../relay/child";

/** All that a user may have, in one reply of 17 MB. */
const LONGEST_LIST = { plans: 10, pointsEach: 2_000, label: "漢".repeat(200) };
const ZURICH = { lat: 47.397742, lng: 8.545594, altitude: 488 };
/** Slower than the cap of ten frames a second, so that each is sent. */
const COUNTED_HERTZ = 4;
/** Where nothing listens. */
const NO_VEHICLE = 1;

/** What an attack needs of its tenant, as JSON. */
export interface Tenant {
  readonly base: string;
  readonly username: string;
  readonly token: string;
  readonly droneId: number;
  readonly droneIp: string;
  readonly edge: DroneAtEdge;
}

/** A drone's address in the tunnel, and the URL of Redis there. */
export interface DroneAtEdge {
  readonly ip: string;
  readonly redis: string;
}

export interface TenantsWorld {
  readonly url: string;
  /** The tenant whose service is measured, with a vehicle that flies. */
  readonly victim: Tenant;
  /** Its drones; the first is the victim's own above. */
  readonly fleet: readonly Tenant[];
  /** One more vehicle of the victim's: its positions are numbered. */
  readonly counted: CountingVehicle & { readonly droneId: number };
  /** The other tenant, with a drone that no attack has used yet. */
  newAttack(): Promise<Tenant>;
  readonly mail: MailSink;
  /** Users who may ask for a reset mail, each once. */
  readonly mailboxes: readonly string[];
  /** Peak of the gateway's memory so far, in MB. */
  peakMegabytes(): number;
  /** Peak of Redis's own count of its memory, in MB. */
  redisPeakMegabytes(): Promise<number>;
  cpuSeconds(): Promise<number>;
  /** The gateway uses the quota of orders so many times. */
  countOrders(times: number): Promise<void>;
  clear(): Promise<void>;
}

/** A gateway in a process of its own, on servers of its own, with two tenants. The victim has so many vehicles. */
export async function startTenantsWorld(
  env: Readonly<Record<string, string>>,
  vehicles = 1,
): Promise<TenantsWorld> {
  const stops = new CleanupStack();
  try {
    const simulator = await stops.keep(
      startSimulator({
        host: "127.0.0.1",
        speedUp: 1,
        vehicles: Array.from({ length: vehicles }, () => ({
          ...{ kind: "copter", autopilot: "ardupilot", home: ZURICH, systemId: 1, bootSeconds: 0, port: 0 },
        })),
      }),
    );
    const gateway = await startBenchGateway(stops, {
      ...{ LINK_CONNECT_TIMEOUT_MS: "2000", TRUSTED_PROXIES: "127.0.0.1", ...env },
    });
    const { url, base, db, mail, pid, cpuSeconds, countOrders, redisUrl } = gateway;
    const admin = new Redis(redisUrl);
    stops.add(() => admin.disconnect());
    const edgeProcess = startChild(join(__dirname, "edge-process.js"), "0-1", { REDIS_URL: redisUrl });
    stops.add(() => edgeProcess.stop());
    const edge = await edgeProcess.ask<DroneAtEdge>("open");
    const withDrone = async (customer: Customer, port: number): Promise<Tenant> => {
      const { id: droneId, ip: droneIp } = await gateway.newDrone(customer, port);
      return { base, username: customer.username, token: customer.token, droneId, droneIp, edge };
    };
    const customer = await gateway.newCustomer("victim@example.com");
    const fleet: Tenant[] = [];
    for (const { ports } of simulator.vehicles) fleet.push(await withDrone(customer, ports[0].port));
    const [victim] = fleet as [Tenant];
    const counting = await startCountingVehicle(COUNTED_HERTZ);
    stops.add(() => runCleanUps(globalThis));
    const { droneId } = await withDrone(customer, counting.port);
    const attacker = await gateway.newCustomer("attacker@example.com");
    await insertMissions(db, attacker.id, LONGEST_LIST);
    const mailboxes = Array.from({ length: 40 }, (_, at) => `pilot-${at}@example.com`);
    for (const mailbox of mailboxes) await gateway.newUser(mailbox);
    const peakMegabytes = () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    const redisPeakMegabytes = async () =>
      Number(/used_memory_peak:(\d+)/.exec(await admin.info("memory"))?.[1]) / 1_048_576;
    return {
      ...{ url, victim, fleet, mail, mailboxes, peakMegabytes, redisPeakMegabytes, cpuSeconds, countOrders },
      counted: Object.assign(counting, { droneId }),
      newAttack: () => withDrone(attacker, NO_VEHICLE),
      clear: () => stops.clear(),
    };
  } catch (error) {
    await stops.clear();
    throw error;
  }
}
