import type { PlaneName } from "../domain/tunnel-planes";
import type { PublicKey } from "../domain/wireguard";
import type { Clock } from "../platform/clock";
import type { Logger } from "../platform/log";
import type { Keyring } from "./client-configs/keyring";
import type { Firewall } from "./firewall/firewall";
import { type AllowState, allowStateOf, type Pair, pairsOf } from "./firewall/pairs";
import { type Fleet, type FleetRow, readFleet } from "./fleet";
import { forwardPackets } from "./forwarding";
import type { Stage, TunnelMetrics } from "./metrics";
import type { Os } from "./os/os";
import type { PlanePeers } from "./plane-peers";

export interface ReconcilerOptions {
  readonly os: Os;
  readonly readRows: () => Promise<FleetRow[]>;
  readonly firewall: Firewall;
  readonly planes: readonly PlanePeers[];
  readonly keyring: Pick<Keyring, "attend">;
  readonly metrics: TunnelMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tickMs: number;
  /** After each cycle. */
  readonly onCycle?: () => void;
}

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;

/** `change`: something may have changed. `tick`: the safety net, which looks at everything again. */
type Reason = "change" | "repair" | "tick";

/**
 * Keeps the node in line with the database.
 *
 * idle → running → idle. Whatever comes in while it runs is one further run. Each step stands alone: one that
 * fails is counted, named and tried again, and never keeps the others from being done. A read that fails
 * removes nobody: what the last one said goes on.
 */
export class Reconciler {
  private fleet: Fleet | undefined;
  private pairs: ReadonlySet<Pair> = new Set();
  private allowed: { readonly of: Fleet; readonly state: AllowState } | undefined;
  private pending: Set<Reason> | undefined;
  private running: Promise<void> | undefined;
  private ticker: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;
  private rulesStand = false;
  private faultsSeen = "[]";
  private retryMs = RETRY_MS;
  private readonly lastError = new Map<string, string>();

  constructor(private readonly options: ReconcilerOptions) {}

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

  /** Ask for a run. Resolves at once; a run under way is followed by one more. */
  kick(reason: Reason): void {
    if (this.stopped) return;
    this.pending ??= new Set();
    this.pending.add(reason);
    this.running ??= this.runPending().finally(() => {
      this.running = undefined;
    });
  }

  /** When nothing runs and nothing is asked for. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** No new run; the one under way is waited for. The node stays as it is. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.ticker);
    clearTimeout(this.retry);
    await this.running;
  }

  private async runPending(): Promise<void> {
    while (this.pending && !this.stopped) {
      const reasons = this.pending;
      this.pending = undefined;
      await this.cycle(reasons.has("tick"), reasons.has("tick") || reasons.has("repair"));
      this.options.onCycle?.();
    }
  }

  private async cycle(isTick: boolean, full: boolean): Promise<void> {
    const { firewall, metrics, clock, planes } = this.options;
    const started = process.hrtime.bigint();
    const results = await Promise.all([
      this.step("database", () => this.read()),
      full || !this.rulesStand ? this.step("firewall-rules", () => this.ensureRules()) : true,
    ]);
    const hasRead = results[0];
    let forgetting: Promise<boolean> | undefined;
    const setPairs = async () => {
      const { opened, closed } = await firewall.setPairs(this.pairs, { verify: full });
      metrics.changed("pair-opened", opened);
      metrics.changed("pair-closed", closed);
      if (closed > 0 || opened > 0) {
        this.options.log.info({ opened, closed }, "the firewall's pairs changed");
      }
      if (closed > 0) forgetting = this.step("conntrack", () => firewall.forgetRevoked(this.pairs));
    };
    // The firewall closes before anything else is looked at.
    if (this.fleet) results.push(await this.step("firewall-pairs", setPairs));
    results.push(...(await Promise.all(planes.map((plane) => this.reconcilePlane(plane, isTick, full)))));
    if (forgetting) results.push(await forgetting);
    if (hasRead) this.attendConfigs(isTick);
    const succeeded = results.every(Boolean);
    metrics.reconciled(Number(process.hrtime.bigint() - started) / 1e9, succeeded ? clock.now() : undefined);
    if (succeeded) this.retryMs = RETRY_MS;
    else this.retryLater();
  }

  private async read(): Promise<void> {
    const { log, metrics } = this.options;
    const fleet = readFleet(await this.options.readRows());
    this.fleet = fleet;
    this.pairs = pairsOf(fleet);
    metrics.faultyRows(fleet.faults.length);
    const faults = JSON.stringify(fleet.faults);
    if (faults === this.faultsSeen) return;
    this.faultsSeen = faults;
    for (const fault of fleet.faults) {
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

  private async reconcilePlane(plane: PlanePeers, isTick: boolean, full: boolean): Promise<boolean> {
    const { name } = plane.plane;
    const look = async () => {
      if (!this.rulesStand && !plane.up) {
        throw new Error(`${plane.plane.interface} stays as it is until the firewall stands.`);
      }
      await plane.ensure(full);
    };
    const isThere = await this.step("interface", look, name);
    if (!isThere || !this.fleet) return isThere;
    const members = name === "users" ? this.fleet.users : this.fleet.drones;
    return this.step("peers", () => plane.reconcile(members, isTick), name);
  }

  private attendConfigs(isTick: boolean): void {
    const { planes, keyring } = this.options;
    const { users, drones } = this.fleet as Fleet;
    const live = new Set<PublicKey>(planes.flatMap((plane) => [...plane.live.keys()]));
    keyring.attend([...users, ...drones], live, isTick);
  }

  /** One part of a run. Its failure is counted, and named when it is another than the last. */
  private async step(stage: Stage, work: () => Promise<unknown>, plane?: PlaneName): Promise<boolean> {
    const { log, metrics } = this.options;
    const part = `${stage} ${plane ?? ""}`;
    try {
      await work();
      if (this.lastError.delete(part)) log.info({ stage, plane }, "this part works again");
      return true;
    } catch (error) {
      metrics.failed(stage);
      const message = String(error);
      if (this.lastError.get(part) !== message) {
        log.error({ stage, plane, err: error }, "a part of the reconciliation failed");
      }
      this.lastError.set(part, message);
      return false;
    }
  }

  private retryLater(): void {
    if (this.stopped) return;
    if (this.retry) return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.kick("repair");
    }, this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
  }
}
