import type pg from "pg";
import { SessionConnection } from "../../platform/postgres/session-connection";
import type { Logger } from "../../platform/process/log";
import type { LoneHubMetrics } from "./metrics";
import type { HubRole } from "./role";

export interface LoneRoleOptions {
  /** Past a pooler: the claim belongs to a session. */
  readonly url: string;
  /** The node's name: a daemon that restarts there is the same hub. */
  readonly identity: string;
  /** Whether tunnels run through this node already. */
  readonly carries: () => Promise<boolean>;
  readonly onActive: () => void;
  readonly now: () => number;
  readonly metrics: LoneHubMetrics;
  readonly log: Logger;
  /** For how long another node's place has to be empty before it is taken: a restart of its daemon leaves it so. */
  readonly patienceMs?: number;
  /** How often the database is asked for the place. */
  readonly everyMs?: number;
}

const PATIENCE_MS = 30_000;
const EVERY_MS = 1_000;
const LIMIT_MS = 5_000;
/** How long a start waits to hear whether another hub serves. */
const DECIDE_MS = 3_000;
/** The advisory lock of the one hub of a database: its two keys. */
const PLACE = [7_107_151, 1];

/** Postgres gives the place of a node that lost its power away after ten seconds, not after two hours. */
const NOTICE_THE_DEAD =
  "SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";

const HOLDER = `
  SELECT coalesce(nullif(application_name, ''), 'another role of the database') AS name
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND classid = ${PLACE[0]} AND objid = ${PLACE[1]} AND objsubid = 2
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const TAKE = `SELECT pg_try_advisory_lock(${PLACE.join(", ")}) AS taken`;

/**
 * The role of a hub without a lease, of which a database may have one: undecided → active, or standby → active.
 *
 * Its place is an advisory lock, held by a session for as long as the daemon lives. Whoever finds another there stands
 * by, and takes the place when it has been empty for a while, at once after a daemon of its own node. A hub that is
 * active stays so: neither a database that is away nor another hub ends tunnels. Where two serve, or one stands by,
 * the log and `fleet_hub_rival` say so.
 */
export class LoneRole implements HubRole {
  private active = false;
  private holds = false;
  /** Who has the place instead of this hub, as last seen. */
  private rival: string | undefined;
  private emptySince: number | undefined;
  private connection: SessionConnection | undefined;
  private decided!: () => void;
  private readonly decision = new Promise<void>((resolve) => {
    this.decided = resolve;
  });
  private readonly name: string;

  constructor(private readonly options: LoneRoleOptions) {
    // Postgres cuts it there, so that is what others read.
    this.name = `fleet-hub ${options.identity}`.slice(0, 63);
  }

  get isActive(): boolean {
    return this.active;
  }

  /** Resolves when the role is known. A database that does not answer soon is not waited for: then this hub serves. */
  async start(): Promise<void> {
    const { url, everyMs = EVERY_MS, log } = this.options;
    this.connection = new SessionConnection(url, {
      name: this.name,
      everyMs,
      limitMs: LIMIT_MS,
      begin: async (client) => {
        await client.query(NOTICE_THE_DEAD);
        await this.look(client);
      },
      probe: (client) => this.look(client),
      onDown: (error) => {
        this.holds = false;
        log.warn({ err: error }, "whether another hub serves cannot be asked of the database");
        this.serve();
      },
    });
    const late = setTimeout(() => this.serve(), DECIDE_MS);
    await this.decision;
    clearTimeout(late);
  }

  /** Leave the place to the next daemon. The node stays as it is. */
  async stop(): Promise<void> {
    await this.connection?.stop();
  }

  private async look(client: pg.Client): Promise<void> {
    if (this.holds) {
      await client.query("SELECT 1");
      return;
    }
    const holder: string | undefined = (await client.query(HOLDER)).rows[0]?.name;
    if (holder !== undefined) return this.giveWay(holder);
    this.emptySince ??= this.options.now();
    if (!this.mayTake(this.emptySince)) return;
    // Another may have come first: the next look names it.
    this.holds = (await client.query(TAKE)).rows[0].taken;
    if (this.holds) this.serveAlone();
  }

  /** A hub that serves takes its place back at once; one that stands by leaves it to a daemon that restarts. */
  private mayTake(emptySince: number): boolean {
    const { now, patienceMs = PATIENCE_MS } = this.options;
    if (this.active || this.rival === undefined || this.rival === this.name) return true;
    return now() - emptySince >= patienceMs;
  }

  private async giveWay(holder: string): Promise<void> {
    const { carries, log, metrics } = this.options;
    this.emptySince = undefined;
    const isNew = this.rival !== holder;
    this.rival = holder;
    metrics.rival(true);
    if (!this.active && isNew && (await carries())) this.serve();
    if (isNew) {
      const does = this.active ? "this one serves on, for tunnels run through it" : "this one stands by";
      log.error(
        { hub: holder },
        `another hub serves this database: ${does}; without HUB_LEASE there may be one`,
      );
    }
    this.decided();
  }

  private serveAlone(): void {
    const { log, metrics } = this.options;
    if (this.rival !== undefined)
      log.info({ hub: this.rival }, "the other hub is gone: this one has its place");
    this.rival = undefined;
    metrics.rival(false);
    this.serve();
  }

  private serve(): void {
    this.decided();
    if (this.active) return;
    this.active = true;
    this.options.metrics.active(true);
    this.options.onActive();
  }
}
