import { setImmediate as gathered } from "node:timers/promises";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import type { Keyring } from "../client-configs/keyring";
import type { Firewall } from "../firewall/firewall";
import { PairUpdater } from "../firewall/pair-updater";
import { type AllowState, allowStateOf, pairsOf } from "../firewall/pairs";
import type { TunnelMetrics } from "../metrics";
import { forwardPackets } from "../os/forwarding";
import type { Os } from "../os/os";
import { type Fleet, type FleetRow, readFleet } from "./fleet";
import { KnownRows, type RowIds } from "./known-rows";
import { Lane } from "./lane";
import type { PlanePeers } from "./plane-peers";
import { Steps } from "./steps";

export interface ReconcilerOptions {
  readonly os: Os;
  readonly readRows: () => Promise<FleetRow[]>;
  readonly readSomeRows: (ids: RowIds) => Promise<FleetRow[]>;
  readonly firewall: Firewall;
  readonly planes: readonly PlanePeers[];
  readonly keyring: Pick<Keyring, "attend">;
  readonly metrics: TunnelMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tickMs: number;
  /** After each time that the node was brought in line. */
  readonly onCycle?: () => void;
}

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;
/** Every tick counts the set's elements, and every so many ticks compares them all. */
const THOROUGH_EVERY = 6;
/** In a stream of changes, how far apart they are read, written to an interface, and published. */
const READS_APART_MS = 20;
const PEERS_APART_MS = 50;
const CONFIGS_APART_MS = 100;

/**
 * `calls`: peers are to be called. `keys`: keys of clients became known. `missed`: changes may have gone unheard.
 * `repair`: something failed.
 * `tick`: the safety net, which looks at everything again.
 */
export type Reason = "calls" | "keys" | "missed" | "repair" | "tick";

/** A tick counts as one more look at who vanished. */
interface Care {
  readonly isTick: boolean;
}

interface Survey extends Care {
  /** Look at the node's state too. */
  readonly full: boolean;
}

const QUICK: Care = { isTick: false };
const anyTick = (a: Care, b: Care): Care => ({ isTick: a.isTick || b.isTick });
const nothing = (): void => undefined;

/**
 * Keeps the node in line with the database.
 *
 * Each resource has one writer, a lane of its own: the rows, the set of pairs, known connections, each interface.
 * A changed row is read by itself and goes to the lanes at once, past a survey (all rows, rules, sets and
 * interfaces, which only looks until something is amiss) that may be under way. Each step stands alone: one that
 * fails is counted, named and tried again, and never keeps the others from being done. A read that fails removes
 * nobody: what the last one said goes on.
 */
export class Reconciler {
  private readonly rows: KnownRows;
  private readonly steps: Steps;
  private readonly pairs: PairUpdater;
  private fleet: Fleet | undefined;
  private allowed: { readonly of: Fleet; readonly state: AllowState } | undefined;
  private changed: Record<PlaneName, Set<number>> = { users: new Set(), drones: new Set() };
  private readonly underWay = new Set<Promise<unknown>>();
  private ticker: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;
  private rulesStand = false;
  private inspections = 0;
  private faultsSeen = "[]";
  private retryMs = RETRY_MS;

  private readonly surveys = new Lane<Survey, void>(
    (how) => this.survey(how),
    (a, b) => ({ full: a.full || b.full, isTick: a.isTick || b.isTick }),
  );
  private readonly changes = new Lane<void, void>(() => this.readChanged(), nothing, READS_APART_MS);
  private readonly configs = new Lane<Care, void>(
    async ({ isTick }) => this.attendConfigs(isTick),
    anyTick,
    CONFIGS_APART_MS,
  );
  private readonly planeLanes: readonly Lane<Care, boolean>[];

  constructor(private readonly options: ReconcilerOptions) {
    const { log, metrics, os, planes } = options;
    this.rows = new KnownRows(options.readRows, options.readSomeRows);
    this.steps = new Steps(log, metrics);
    const isSettled = (name: PlaneName, ip: string) =>
      planes.some((plane) => plane.plane.name === name && plane.isSettled(ip));
    this.pairs = new PairUpdater({ os, isSettled, steps: this.steps, metrics, log });
    this.planeLanes = planes.map(
      (plane) => new Lane((care) => this.reconcilePlane(plane, care), anyTick, PEERS_APART_MS),
    );
  }

  /** What the firewall lets each user reach, as last read. */
  get allowState(): AllowState {
    if (!this.fleet) return {};
    if (this.allowed?.of !== this.fleet) this.allowed = { of: this.fleet, state: allowStateOf(this.fleet) };
    return this.allowed.state;
  }

  /** The rows as last read; undefined until a read has succeeded. */
  get currentFleet(): Fleet | undefined {
    return this.fleet;
  }

  start(): void {
    this.ticker = setInterval(() => this.kick("tick"), this.options.tickMs);
    this.kick("tick");
  }

  /** Ask for a run. Resolves at once; one of the same kind that is under way is followed by one more. */
  kick(reason: Reason): void {
    if (!this.runs) return;
    if (reason === "keys" || reason === "calls") {
      // Before the first read nobody waits for one.
      if (this.fleet) this.track(this.act(QUICK));
    } else {
      this.track(this.surveys.run({ full: reason !== "missed", isTick: reason === "tick" }));
    }
  }

  /** This hub became the one that serves, or is it no longer. Resolves when the planes have been seen to. */
  async takeRole(): Promise<void> {
    if (!this.runs) return;
    const standing = this.standAsRole();
    this.track(standing);
    await standing;
  }

  /** A row changed: it alone is read again, and acted upon. */
  change(plane: PlaneName, id: number): void {
    if (!this.runs) return;
    this.changed[plane].add(id);
    this.track(this.changes.run());
  }

  /**
   * Not before the start, which reads everything: this hub's role is not known until then, and one that does not serve
   * is made mute, tunnels that run through it included.
   */
  private get runs(): boolean {
    return !this.stopped && this.ticker !== undefined;
  }

  /** When nothing runs and nothing is asked for. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** No new run; what is under way is waited for. The node stays as it is. */
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
    // The notices of one transaction come together.
    await gathered();
    const ids = this.changed;
    this.changed = { users: new Set(), drones: new Set() };
    if (ids.users.size + ids.drones.size === 0 || this.stopped) return;
    // Acting is not waited for: the next change is read meanwhile.
    if (await this.read(() => this.rows.refreshSome(ids))) this.track(this.act(QUICK));
    else this.retryLater();
  }

  /** Look at one thing after the other: nobody waits for it, and forwarding wants the processor too. */
  private async survey({ full, isTick }: Survey): Promise<void> {
    if (this.stopped) return;
    const { planes } = this.options;
    const steps = [];
    if (full || !this.rulesStand) {
      steps.push(await this.steps.do("firewall-rules", () => this.ensureRules()));
    }
    const hasRead = await this.read(() => this.rows.refresh());
    steps.push(hasRead);
    if (full) {
      const thorough = !isTick || this.inspections++ % THOROUGH_EVERY === 0;
      if (this.fleet) steps.push(await this.pairs.apply(thorough ? "elements" : "size"));
      for (const plane of planes) await plane.inspect();
    }
    // Ticks without a read agree on nothing.
    await this.act({ isTick: isTick && hasRead }, steps.every(Boolean));
  }

  /** Bring the node in line with the rows as now known: who may no longer reach whom comes first. */
  private async act({ isTick }: Care, soundSoFar = true): Promise<void> {
    const { metrics, clock, onCycle } = this.options;
    const started = process.hrtime.bigint();
    const results = [soundSoFar];
    if (this.fleet) results.push(await this.pairs.apply());
    const forgetting = this.pairs.forgetRevoked();
    results.push(...(await Promise.all(this.planeLanes.map((lane) => lane.run({ isTick })))));
    // What had to wait for a peer to go.
    if (this.fleet && this.pairs.hasWithheld) results.push(await this.pairs.apply());
    this.track(this.configs.run({ isTick }));
    results.push(await forgetting);
    const succeeded = results.every(Boolean);
    metrics.reconciled(Number(process.hrtime.bigint() - started) / 1e9, succeeded ? clock.now() : undefined);
    if (succeeded) this.retryMs = RETRY_MS;
    else this.retryLater();
    onCycle?.();
  }

  /** Read, and take over what the rows say now. */
  private read(work: () => Promise<void>): Promise<boolean> {
    return this.steps.do("database", async () => {
      await work();
      const before = this.fleet;
      const fleet = readFleet(this.rows.all ?? { users: [], drones: [] });
      this.fleet = fleet;
      if (fleet.users !== before?.users || fleet.drones !== before.drones) this.pairs.want(pairsOf(fleet));
      for (const plane of this.options.planes) plane.want(fleet[plane.plane.name]);
      this.nameFaults(fleet);
    });
  }

  private nameFaults({ faults }: Fleet): void {
    const { log, metrics } = this.options;
    metrics.faultyRows(faults);
    const text = JSON.stringify(faults);
    if (text === this.faultsSeen) return;
    this.faultsSeen = text;
    for (const fault of faults) {
      log.error({ ...fault }, "a row of the database is faulty; the others stand");
      metrics.failed("rows");
    }
  }

  private async ensureRules(): Promise<void> {
    const { firewall, metrics, log, os } = this.options;
    try {
      const change = await firewall.ensureRules();
      if (change) {
        log.info({ change }, "the firewall's rules were set");
        metrics.changed("rules");
      }
      this.rulesStand = true;
    } catch (error) {
      this.rulesStand = false;
      throw error;
    }
    if (await forwardPackets(os)) log.info("the node forwards packets from now on");
  }

  private async reconcilePlane(plane: PlanePeers, { isTick }: Care): Promise<boolean> {
    const { name } = plane.plane;
    const look = async () => {
      if (plane.up) return;
      if (!this.rulesStand) {
        throw new Error(`${plane.plane.interface} stays as it is until the firewall stands.`);
      }
      await plane.mend();
    };
    const isThere = await this.steps.do("interface", look, name);
    if (!isThere || !this.fleet) return isThere;
    return this.steps.do("peers", () => plane.reconcile(isTick), name);
  }

  /** Past a survey and the firewall, which stands in either role. */
  private async standAsRole(): Promise<void> {
    const results = await Promise.all(this.planeLanes.map((lane) => lane.run(QUICK)));
    if (!results.every(Boolean)) this.retryLater();
    this.options.onCycle?.();
    this.track(this.configs.run(QUICK));
  }

  private attendConfigs(isTick: boolean): void {
    const { planes, keyring } = this.options;
    if (!this.fleet) return;
    const { users, drones } = this.fleet;
    const live = new Set<PublicKey>(planes.flatMap((plane) => [...plane.peers.keys()]));
    keyring.attend([...users, ...drones], live, isTick);
  }

  private retryLater(): void {
    if (this.stopped || this.retry) return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.kick("repair");
    }, this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
  }
}
