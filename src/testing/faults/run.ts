import { setTimeout as delay } from "node:timers/promises";
import { createUser } from "../../features/accounts";
import { grantSubscription } from "../../features/billing/grant";
import { listJobs } from "../../platform/jobs";
import { type SimulatedVehicle, startSimulator } from "../../simvehicle";
import { atEndOfFile } from "../clean-up";
import { ApiClient } from "../client";
import { asPhysical } from "../replicas";
import { until } from "../until";
import { tapVehicle } from "../vehicle-tap";
import { type Deployment, startDeployment, WEBHOOK_SECRET } from "./deployment";
import type { Finding, Flaw, Round } from "./findings";
import { CommandLoad } from "./loads/commands";
import { PeerLoad } from "./loads/peers";
import { StickLoad } from "./loads/sticks";
import { UploadLoad } from "./loads/uploads";
import { WebhookLoad } from "./loads/webhooks";
import type { Part } from "./part";
import { KINDS, type Kind, Progress } from "./progress";

export type Harm = "kill" | "pause" | "partition" | "failover";

export interface Fault {
  readonly part: string;
  readonly harm: Harm;
}

/** What one fault did. Recovery is in milliseconds from its end until that kind succeeded through every replica. */
export interface FaultRow {
  readonly fault: string;
  readonly recovery: Readonly<Record<Kind, number>>;
  readonly flaws: Readonly<Record<Flaw, number>>;
}

export interface FaultRun {
  readonly rows: readonly FaultRow[];
  readonly acknowledged: Readonly<Record<Kind, number>>;
  readonly findings: readonly Finding[];
  /** Which loads had not succeeded again within the limit, and after which fault. */
  readonly unrecovered: readonly string[];
}

const CALM_MS = 1_500;
const DOWN_MS = 1_000;
const PAUSE_MS = 3_000;
const PARTITION_MS = 5_000;
/** Everything must have succeeded again by then. */
const RECOVERY_LIMIT_MS = 45_000;
const JOBS_LIMIT_MS = 150_000;

/** Harms a deployment under load, a fault after the other, and counts what came of it. */
export async function runFaults(faults: readonly Fault[]): Promise<FaultRun> {
  const deployment = await startDeployment();
  const round: Round = { current: 0 };
  const progress = new Progress();
  const { loads, uploads, logIn } = await startLoads(deployment, round, progress);
  atEndOfFile(() => Promise.all(loads.map((load) => load.stop())));
  const idle = await recovered(progress, performance.now(), "the start");
  if (idle.length > 0) throw new Error(idle.join("\n"));
  const ends: number[] = [];
  const unrecovered: string[] = [];
  for (const [at, { part: name, harm }] of faults.entries()) {
    await delay(CALM_MS);
    await logIn();
    round.current = at + 1;
    const part = deployment.parts.find((one) => one.name === name);
    if (!part) throw new Error(`There is no ${name}.`);
    await inflict[harm](part);
    const end = performance.now();
    ends.push(end);
    unrecovered.push(...(await recovered(progress, end, `${harm} ${name}`)));
  }
  await delay(CALM_MS);
  for (const load of loads) await load.stop();
  await until(async () => (await listJobs(deployment.db)).length === 0, JOBS_LIMIT_MS);
  const accounts = [
    ...(await Promise.all(loads.map(async (load) => [load.kind, await load.account()] as const))),
    ["jobs", await uploads.accountOfJobs()] as const,
  ];
  const findings = accounts.flatMap(([, account]) => account.findings);
  return {
    findings,
    unrecovered,
    acknowledged: Object.fromEntries(accounts.map(([kind, one]) => [kind, one.acknowledged])) as never,
    rows: faults.map(({ part, harm }, at) => ({
      fault: `${harm} ${part}`,
      recovery: byName(KINDS, (kind) => progress.recovery(kind, ends[at] as number)),
      flaws: byName(
        FLAWS,
        (flaw) => findings.filter((one) => one.round === at + 1 && one.flaw === flaw).length,
      ),
    })),
  };
}

export const FLAWS: readonly Flaw[] = ["lost", "duplicated", "out of order", "unknown", "denied"];

const byName = <Name extends string>(names: readonly Name[], of: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, number>;

/** Resolves when the fault is over: the part was started again, goes on, or is reached again. */
const inflict: Readonly<Record<Harm, (part: Part) => Promise<void>>> = {
  kill: async (part) => {
    await part.kill();
    await delay(DOWN_MS);
    await part.restart();
  },
  pause: async (part) => {
    part.pause();
    await delay(PAUSE_MS);
    part.resume();
  },
  partition: async (part) => {
    part.partition();
    await delay(PARTITION_MS);
    part.mend();
  },
  failover: async (part) => {
    part.partition();
    await delay(PARTITION_MS);
    part.replace();
  },
};

async function recovered(progress: Progress, since: number, fault: string): Promise<string[]> {
  const deadline = performance.now() + RECOVERY_LIMIT_MS;
  while (progress.missing(since).length > 0) {
    if (performance.now() > deadline)
      return progress.missing(since).map((load) => `${load}: no success after ${fault}`);
    await delay(50);
  }
  return [];
}

async function startLoads(deployment: Deployment, round: Round, progress: Progress) {
  const { gateways, relays, tunnels, db, redisUrl, storeUrl, mail } = deployment;
  const vehicles = await simulatedVehicles(4);
  const credentials = { username: "pilot@example.com", password: "correct horse battery" };
  const user = await createUser(db, { ...credentials, level: "CUSTOMER", active: true });
  const anonymous = new ApiClient(`${gateways[0]}/api/v1`);
  let token = "";
  const logIn = async () => {
    token = (await anonymous.post("/login", credentials)).body.access_token;
  };
  await logIn();
  await grantSubscription(db, credentials.username, 10);
  const newDrone = async (vehicle: { host: string; port: number }, name: string) => {
    const wish = { type: "sitl", name, vehicle_type: "copter", port: vehicle.port, link_host: vehicle.host };
    const { status, body } = await anonymous.as(token).post("/drone", wish);
    if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
    return body as { id: number; ip: string };
  };
  const [first, second, ...others] = vehicles as [SimulatedVehicle, SimulatedVehicle, ...SimulatedVehicle[]];
  const commanded = [];
  for (const [at, vehicle] of [first, second].entries()) {
    const ip = `127.0.0.${50 + at}`;
    const tap = await tapVehicle(vehicle, ip);
    const drone = await newDrone({ host: ip, port: tap.port }, `commanded ${at}`);
    await asPhysical(db, drone as never, ip);
    commanded.push({ id: drone.id, tap });
  }
  const flown = [];
  for (const [at, vehicle] of others.entries()) flown.push(await newDrone(vehicle, `flown ${at}`));
  const steered = [];
  for (const name of ["steered 0", "steered 1", "steered by a roaming pilot"])
    steered.push(await newDrone(first, name));
  const shared = { gateways, db, round, progress };
  const uploads = new UploadLoad({ ...shared, drones: flown, storeUrl, mail });
  const loads = [
    new CommandLoad({ ...shared, drones: commanded, authorization: () => `Bearer ${token}` }),
    new StickLoad({ relays, drones: steered, redisUrl, round, progress }),
    uploads,
    new PeerLoad({ tunnels, storeUrl, db, round, progress }),
    new WebhookLoad({ ...shared, secret: WEBHOOK_SECRET, userId: user.id }),
  ];
  return { loads, uploads, logIn };
}

async function simulatedVehicles(count: number): Promise<readonly SimulatedVehicle[]> {
  const simulator = await startSimulator({
    vehicles: Array.from({ length: count }, () => ({ kind: "copter" as const, bootSeconds: 0 })),
  });
  atEndOfFile(() => simulator.stop());
  return simulator.vehicles;
}
