import { setImmediate as gathered } from "node:timers/promises";
import { type PlaneName, planeNames } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Change, ChangeSubscriber } from "../../platform/postgres/change-listener";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import { backoffMs } from "../../platform/retry";
import type { Keyring } from "../client-configs/keyring";
import type { Firewall } from "../firewall/firewall";
import { PairUpdater } from "../firewall/pair-updater";
import { type AllowState, allowStateOf } from "../firewall/pairs";
import type { TunnelMetrics } from "../metrics";
import { forwardPackets } from "../os/forwarding";
import type { Os } from "../os/os";
import { CoalescingQueue } from "./coalescing-queue";
import type { Fleet } from "./fleet";
import type { PlanePeers } from "./plane-peers";
import { RowCache } from "./row-cache";
import { Stages } from "./stages";

interface ReconcilerOptions {
  readonly os: Os;
  readonly db: Pick<Db, "raw">;
  readonly firewall: Firewall;
  readonly planes: readonly PlanePeers[];
  readonly keyring: Pick<Keyring, "setMembers">;
  readonly metrics: TunnelMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tickMs: number;
  /** After each time that the node was brought in line. */
  readonly onCycle?: () => void;
}

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;
/** Every tick counts the set's elements, every sixth tick compares each of them. */
const THOROUGH_EVERY = 6;
/** Minimum intervals in a stream of changes. */
const READS_INTERVAL_MS = 20;
const PEERS_INTERVAL_MS = 50;
const CONFIGS_INTERVAL_MS = 100;

/**
 * Why the reconciler runs. `handshakes`: peers that have not answered get another handshake. `keys`: keys of clients
 * became known. `missed`: notifications may have been lost. `repair`: a stage failed. `tick`: the safety net, which reads
 * and compares everything.
 */
type Trigger = "handshakes" | "keys" | "missed" | "repair" | "tick";

/** Of merged requests one tick makes a tick: the policy for peers that vanish counts ticks. */
interface Run {
  readonly isTick: boolean;
}

interface Resync extends Run {
  /** Inspect the node's state too, not only the rows. */
  readonly full: boolean;
}

const NO_TICK: Run = { isTick: false };
const mergeRuns = (a: Run, b: Run): Run => ({ isTick: a.isTick || b.isTick });
const nothing = (): void => undefined;

/**
 * Keeps the node in line with the database.
 *
 * Each resource (the set of pairs, known connections, each interface) has one writer behind a queue of its own. A
 * changed row is read by its id and written at once. A resync reads all rows, and inspects rules, sets and interfaces;
 * it may run beside that. A stage that fails is counted, logged and tried again, and stops no other stage. A read that
 * fails removes no peer: the rows that were read last count.
 */
export class Reconciler implements ChangeSubscriber {
  private readonly rows: RowCache;
  private readonly stages: Stages;
  private readonly pairs: PairUpdater;
  private changed: Record<PlaneName, Set<number>> = { users: new Set(), drones: new Set() };
  private readonly underWay = new Set<Promise<unknown>>();
  private ticker: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Whether the firewall's rules were complete at the last inspection. */
  hasRules = false;
  private inspections = 0;
  private faultsSeen = "[]";
  /** Repairs since a run last succeeded. */
  private repairs = 0;

  private readonly resyncs = new CoalescingQueue<Resync, void>(
    (resync) => this.resync(resync),
    (a, b) => ({ full: a.full || b.full, isTick: a.isTick || b.isTick }),
  );
  private readonly changes = new CoalescingQueue<void, void>(
    () => this.readChanged(),
    nothing,
    READS_INTERVAL_MS,
  );
  private readonly configs = new CoalescingQueue<Run, void>(
    async ({ isTick }) => this.reconcileConfigs(isTick),
    mergeRuns,
    CONFIGS_INTERVAL_MS,
  );
  private readonly planeQueues: readonly CoalescingQueue<Run, boolean>[];

  constructor(private readonly options: ReconcilerOptions) {
    const { log, metrics, os, planes } = options;
    this.rows = new RowCache(options.db);
    const stages = new Stages(log, metrics);
    this.stages = stages;
    const isSettled = (name: PlaneName, ip: string) =>
      planes.some((plane) => plane.plane.name === name && plane.isSettled(ip));
    const fleet = () => this.rows.fleet;
    this.pairs = new PairUpdater({ os, fleet, isSettled, stages, metrics, log });
    this.planeQueues = planes.map(
      (plane) =>
        new CoalescingQueue(
          async ({ isTick }) =>
            (await stages.outcome("interface", plane.ensureUp(), plane.plane.name)) &&
            stages.outcome("peers", plane.reconcile(isTick), plane.plane.name),
          mergeRuns,
          PEERS_INTERVAL_MS,
        ),
    );
  }

  /** What the firewall lets each user reach, as last read. */
  get allowState(): AllowState {
    return this.rows.fleet ? allowStateOf(this.rows.fleet) : {};
  }

  /** The rows as last read; undefined until a read has succeeded. */
  get currentFleet(): Fleet | undefined {
    return this.rows.fleet;
  }

  start(): void {
    this.ticker = setInterval(() => this.enqueue("tick"), this.options.tickMs);
    this.enqueue("tick");
  }

  /** Ask for a run. Returns at once. */
  enqueue(trigger: Trigger): void {
    if (!this.runs) return;
    if (trigger === "keys" || trigger === "handshakes") {
      if (this.rows.fleet) this.track(this.act(NO_TICK));
    } else {
      this.track(this.resyncs.enqueue({ full: trigger !== "missed", isTick: trigger === "tick" }));
    }
  }

  /** This hub's role has changed. Resolves when the planes follow it. */
  async takeRole(): Promise<void> {
    if (!this.runs) return;
    const run = this.reconcilePlanes();
    this.track(run);
    await run;
  }

  /** A row changed: read it by its id and write what follows from it. */
  readonly onChange = ({ table, id }: Change): void => {
    if (!this.runs || table === "revoked_tokens") return;
    this.changed[table].add(id);
    this.track(this.changes.enqueue());
  };

  readonly onReconnect = (): void => this.enqueue("missed");

  /**
   * False before the start: this hub's role is not known until then, and a hub that does not serve loses its
   * interfaces.
   */
  private get runs(): boolean {
    return !this.stopped && this.ticker !== undefined;
  }

  /** Resolves when no run is under way or queued. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Start no further run, and wait for those under way. The node stays as it is. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.ticker);
    clearTimeout(this.retry);
    await this.idle();
  }

  private track(run: Promise<unknown>): void {
    const tracked = run.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }

  private async readChanged(): Promise<void> {
    // The notifications of one transaction arrive together.
    await gathered();
    const ids = this.changed;
    this.changed = { users: new Set(), drones: new Set() };
    if (ids.users.size + ids.drones.size === 0 || this.stopped) return;
    // Not awaited: the next change is read meanwhile.
    const changed = planeNames.filter((name) => ids[name].size > 0);
    if (await this.stages.outcome("database", this.rows.refreshSome(ids)))
      this.track(this.act(NO_TICK, true, changed));
    else this.retryLater();
  }

  /** One stage after the other: nothing waits for a resync, and forwarding needs the processor too. */
  private async resync({ full, isTick }: Resync): Promise<void> {
    if (this.stopped) return;
    const { planes } = this.options;
    const succeeded = [];
    if (full || !this.hasRules)
      succeeded.push(await this.stages.outcome("firewall-rules", this.ensureRules()));
    const hasRead = await this.stages.outcome("database", this.rows.refresh());
    succeeded.push(hasRead);
    if (full) {
      const thorough = !isTick || this.inspections++ % THOROUGH_EVERY === 0;
      succeeded.push(await this.pairs.inspect(thorough));
      for (const plane of planes) await plane.inspect();
    }
    // Ticks without a read confirm nothing.
    await this.act({ isTick: isTick && hasRead }, succeeded.every(Boolean));
  }

  /** Bring the node in line with the rows, and the interfaces of `changed`. Pairs are closed before peers are set. */
  private async act({ isTick }: Run, soundSoFar = true, changed = planeNames): Promise<void> {
    const { metrics, clock, onCycle, planes } = this.options;
    const started = process.hrtime.bigint();
    this.nameFaults();
    const results = [soundSoFar, await this.pairs.apply()];
    const forgetting = this.pairs.forgetRevoked();
    const queues = this.planeQueues.filter((_, at) =>
      changed.some((name) => name === planes[at]?.plane.name),
    );
    results.push(...(await Promise.all(queues.map((queue) => queue.enqueue({ isTick })))));
    // Pairs that waited for a peer to be removed.
    if (this.pairs.hasWithheld) results.push(await this.pairs.apply());
    this.track(this.configs.enqueue({ isTick }));
    results.push(await forgetting);
    const succeeded = results.every(Boolean);
    // A run of one interface shows nothing of the other.
    const isWhole = succeeded && queues.length === planes.length;
    metrics.reconciled(Number(process.hrtime.bigint() - started) / 1e9, isWhole ? clock.now() : undefined);
    if (isWhole) this.repairs = 0;
    if (!succeeded) this.retryLater();
    onCycle?.();
  }

  private nameFaults(): void {
    const { log, metrics } = this.options;
    const { faults = [] } = this.rows.fleet ?? {};
    metrics.faultyRows(faults);
    const text = JSON.stringify(faults);
    if (text === this.faultsSeen) return;
    this.faultsSeen = text;
    for (const fault of faults) {
      log.error({ ...fault }, "A row of the database is faulty and is left out");
      metrics.failed("rows");
    }
  }

  private async ensureRules(): Promise<void> {
    const { firewall, metrics, log, os } = this.options;
    try {
      const change = await firewall.ensureRules();
      if (change) {
        log.info({ change }, "Set the firewall's rules");
        metrics.changed("rules");
      }
      this.hasRules = true;
    } catch (error) {
      this.hasRules = false;
      throw error;
    }
    if (await forwardPackets(os)) log.info("Enabled IP forwarding on the node");
  }

  /** No resync, and no change of the firewall, which is the same in either role. */
  private async reconcilePlanes(): Promise<void> {
    const results = await Promise.all(this.planeQueues.map((queue) => queue.enqueue(NO_TICK)));
    if (!results.every(Boolean)) this.retryLater();
    this.options.onCycle?.();
    this.track(this.configs.enqueue(NO_TICK));
  }

  private reconcileConfigs(isTick: boolean): void {
    const { planes, keyring } = this.options;
    if (!this.rows.fleet) return;
    const { users, drones } = this.rows.fleet;
    const live = { has: (key: PublicKey) => planes.some((plane) => plane.live.has(key)) };
    keyring.setMembers([...users, ...drones], live, isTick);
  }

  private retryLater(): void {
    if (this.stopped || this.retry) return;
    const pauseMs = backoffMs(++this.repairs, RETRY_MS, RETRY_MAX_MS);
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.enqueue("repair");
    }, pauseMs);
  }
}
