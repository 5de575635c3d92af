import { setTimeout as delay } from "node:timers/promises";
import { listJobs } from "../../../platform/jobs/jobs";
import { atEndOfFile } from "../../clean-up";
import { until } from "../../until";
import { type Deployment, startDeployment } from "./deployment";
import type { FaultTarget } from "./fault-target";
import { FINDING_TYPES, type Finding, type FindingType, type Round } from "./findings";
import { startLoads } from "./loads";
import { LOAD_KINDS, type LoadKind, Progress } from "./progress";
import { type Takeover, watchTakeovers } from "./takeovers";

type FaultKind = "kill" | "pause" | "partition" | "loss" | "failover";

export interface Fault {
  readonly target: string;
  readonly kind: FaultKind;
}

/** What one fault did. Recovery is in milliseconds from its end until that kind succeeded through every replica. */
export interface FaultRow {
  readonly fault: string;
  readonly recovery: Readonly<Record<LoadKind, number>>;
  readonly findings: Readonly<Record<FindingType, number>>;
}

export interface FaultRun {
  readonly rows: readonly FaultRow[];
  readonly acknowledged: Readonly<Record<LoadKind, number>>;
  readonly findings: readonly Finding[];
  /** Which loads had not succeeded again within the limit, and after which fault. */
  readonly unrecovered: readonly string[];
  /** Takeovers of leases whose holder was paused or cut off. */
  readonly takeovers: readonly Takeover[];
}

const CALM_MS = 1_500;
const DOWN_MS = 1_000;
/** Longer than any lease: a paused or partitioned target has lost its leases when it returns. */
const OUTAGE_MS = 8_000;
/** Everything must have succeeded again by then. */
const RECOVERY_LIMIT_MS = 45_000;
const HUB_LIMIT_MS = 20_000;
const JOBS_LIMIT_MS = 150_000;

/** Applies one fault after the other to a deployment under load, and counts the findings. */
export async function runFaults(faults: readonly Fault[]): Promise<FaultRun> {
  const deployment = await startDeployment();
  const round: Round = { current: 0 };
  const progress = new Progress();
  const { all: loads, uploads, linked, ...fleet } = await startLoads(deployment, round, progress);
  atEndOfFile(() => Promise.all(loads.map((load) => load.stop())));
  const idle = await recovered(progress, performance.now(), "the start");
  if (idle.length > 0) throw new Error(idle.join("\n"));
  const ends: number[] = [];
  const unrecovered: string[] = [];
  const takeovers: Takeover[] = [];
  for (const [at, { target: name, kind }] of faults.entries()) {
    const fault = `${kind} ${name}`;
    const target = deployment.targets.find((one) => one.name === name);
    if (!target) throw new Error(`There is no ${name}.`);
    await delay(CALM_MS);
    await fleet.logIn();
    const [, gateway] = /^gateway (\d)$/.exec(name) ?? [];
    if (gateway) await fleet.bringLinksTo(Number(gateway) - 1);
    if (name.startsWith("tunnel")) await bringHubTo(target, deployment);
    unrecovered.push(...(await recovered(progress, performance.now(), `the calm before ${fault}`)));
    round.current = at + 1;
    const look = await watchTakeovers(target, deployment, linked);
    const { begin, lastsMs, isLong, end } = faultKinds[kind];
    await begin(target);
    await delay(lastsMs);
    if (isLong) takeovers.push(...(await look(fault)));
    await end(target);
    ends.push(performance.now());
    unrecovered.push(...(await recovered(progress, performance.now(), fault)));
  }
  await delay(CALM_MS);
  for (const load of loads) await load.stop();
  await until(() => assertJobsDone(deployment), JOBS_LIMIT_MS, 250);
  const results = [
    ...(await Promise.all(loads.map(async (load) => [load.kind, await load.result()] as const))),
    ["jobs", await uploads.jobsResult()] as const,
  ];
  const findings = results.flatMap(([, result]) => result.findings);
  return {
    findings,
    unrecovered,
    takeovers,
    acknowledged: Object.fromEntries(results.map(([load, one]) => [load, one.acknowledged])) as never,
    rows: faults.map(({ target, kind }, at) => ({
      fault: `${kind} ${target}`,
      recovery: byName(LOAD_KINDS, (kind) => progress.recovery(kind, ends[at] as number)),
      findings: byName(
        FINDING_TYPES,
        (type) => findings.filter((one) => one.round === at + 1 && one.type === type).length,
      ),
    })),
  };
}

async function assertJobsDone({ db }: Deployment): Promise<void> {
  const left = await listJobs(db);
  if (left.length > 0) throw new Error(`${left.length} jobs are left: ${JSON.stringify(left.slice(0, 5))}`);
}

/** Makes this hub serve: the other one is killed and restarted as the standby. */
async function bringHubTo({ name }: FaultTarget, { targets, leaseHolders }: Deployment): Promise<void> {
  const serving = () => leaseHolders.ofHub().by;
  if (serving() === name) return;
  const other = targets.find((one) => one.name === serving());
  await other?.kill();
  await until(async () => serving() === name, HUB_LIMIT_MS);
  await other?.restart();
}

const byName = <Name extends string>(names: readonly Name[], of: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, number>;

interface FaultSteps {
  readonly begin: (target: FaultTarget) => Promise<void> | void;
  readonly lastsMs: number;
  /** The fault lasts longer than any lease. */
  readonly isLong?: true;
  /** Restarts, resumes or reconnects the target. */
  readonly end: (target: FaultTarget) => Promise<void> | void;
}

const outage = { lastsMs: OUTAGE_MS, isLong: true } as const;
const cutOff = { ...outage, begin: (target: FaultTarget) => target.partition() };

const faultKinds: Readonly<Record<FaultKind, FaultSteps>> = {
  kill: { begin: (target) => target.kill(), lastsMs: DOWN_MS, end: (target) => target.restart() },
  pause: { ...outage, begin: (target) => target.pause(), end: (target) => target.resume() },
  partition: { ...cutOff, end: (target) => target.mend() },
  loss: { begin: (target) => target.disturb(), lastsMs: OUTAGE_MS, end: (target) => target.mend() },
  failover: { ...cutOff, end: (target) => target.replace() },
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
