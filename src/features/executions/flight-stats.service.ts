import { Readable } from "node:stream";
import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { analyseFlightLog, type FlightStats, type FlightTime, type FlightTrack } from "../../flight-log";
import { enqueue } from "../../platform/jobs/jobs";
import type { Task } from "../../platform/jobs/worker";
import { isMissingObject, ObjectReplaced, type ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import { KeyedMutex } from "../../platform/semaphore";
import type { Services } from "../../platform/services";
import { type Asset, assetKey, findAsset, findLog, lockAssetsOf, recordsOf, versionOf } from "../assets";
import { invalidateArchive } from "./archive/archives.store";
import { analysis } from "./asset-hooks";
import type { Execution } from "./executions.store";
import { findExecution, lockExecution } from "./executions.store";
import { dispatchReport } from "./report/dispatch";
import {
  type AnalysedLogs,
  findStats,
  findTrack,
  resetStats,
  type StatsRow,
  saveStats,
  type TrackRow,
} from "./stats.store";

/** A file that is not a log, or a broken log, is a result and not an exception. */
type LogResult = { readonly stats: FlightStats; readonly track: FlightTrack } | { readonly error: string };

/** Several logs are read as one: the records of a flight whose link was lost for long. */
async function readLogs(
  store: ObjectStore,
  [log, ...others]: readonly [Asset, ...Asset[]],
  during: FlightTime,
): Promise<LogResult> {
  let source: Readable;
  try {
    source = await store.read(assetKey(log), versionOf(log));
    if (others.length > 0) source = Readable.from(joined(store, source, others), { objectMode: false });
  } catch (error) {
    if (isMissingObject(error)) return { error: "The log is no longer in the object store." };
    if (error instanceof ObjectReplaced) return { error: "The log was replaced after its upload." };
    throw error;
  }
  const reading = analyseFlightLog(source, { name: log.file_name, during });
  const result = await reading.finally(() => source.destroy());
  return result.status === "unreadable"
    ? { error: result.error }
    : { stats: result.stats, track: result.track };
}

async function* joined(store: ObjectStore, first: Readable, others: readonly Asset[]) {
  yield* first;
  for (const log of others) yield* await store.read(assetKey(log), versionOf(log));
}

type Deps = Pick<Services, "db" | "store" | "clock">;

/** Time for the request to finish before a job repeats the analysis. */
const HEAD_START_MS = 60_000;

/** Of analyses of one user, while another of them runs. */
const FULL = { maxWaiting: 4, message: "4 analyses of yours wait for another to end." };

/** The statistics of flight logs. */
export class FlightStatsService {
  private readonly mutex = new KeyedMutex<number>();

  constructor(private readonly deps: Deps) {}

  /** Rejects with `not_found` when the execution has no log. */
  async get({ id }: Execution): Promise<StatsRow> {
    const row = await findStats(this.deps.db, id);
    if (!row) throw new DomainError("not_found", "This execution has no flight statistics.");
    return row;
  }

  /** Rejects with `not_found` when the execution has no log. */
  async track({ id }: Execution): Promise<TrackRow> {
    const row = await findTrack(this.deps.db, id);
    if (!row) throw new DomainError("not_found", "This execution has no flight track.");
    return row;
  }

  /**
   * Analyses the execution's log now, one of a user at a time. Rejects with `invalid_input` when there is none that can be
   * read, with `too_many_requests` when too many of the user's wait.
   */
  async analyseNow(userId: number, execution: Execution): Promise<StatsRow> {
    return this.mutex.runUnlessFull(userId, FULL, () => this.analyseLog(execution));
  }

  private async analyseLog(execution: Execution): Promise<StatsRow> {
    const { db, clock } = this.deps;
    const asset = await db.transaction(async (trx) => {
      await lockAssetsOf(trx, execution.drone_id);
      const asset = await logOf(trx, await lockExecution(trx, execution.id));
      await resetStats(trx, execution.id, asset.id, asset.record !== null);
      // A job repeats the analysis if it fails here, since a report may wait for the statistics.
      const runAt = new Date(clock.now().getTime() + HEAD_START_MS);
      await enqueue(trx, { ...analysis(execution, asset.id), runAt });
      return asset;
    });
    const result = await this.analyse(execution, asset);
    if (!result.stats) throw new DomainError("invalid_input", result.error ?? "There is no log.");
    return this.get(execution);
  }

  /**
   * Reads the log and stores the statistics of the execution's flight, or why it cannot be read. The records of the
   * flight take the place of a drone's own log that cannot be read.
   */
  async analyse(execution: Execution, asset: Asset): Promise<AnalysedLogs> {
    const { db, clock } = this.deps;
    const { id } = execution;
    const result = await this.read(execution, asset);
    await db.transaction(async (trx) => {
      await lockExecution(trx, id);
      if (!(await saveStats(trx, id, asset.id, result, clock.now()))) return;
      await invalidateArchive(trx, id);
      await dispatchReport(trx, id, clock.now());
    });
    return result;
  }

  private async read({ id, started_at, completed_at }: Execution, asset: Asset): Promise<AnalysedLogs> {
    const { db, store, clock } = this.deps;
    const during = { from: started_at.getTime(), to: (completed_at ?? clock.now()).getTime() };
    const own = asset.record === null ? await readLogs(store, [asset], during) : undefined;
    if (own && "stats" in own) return own;
    const [first, ...others] = await recordsOf(db, id);
    const record = own ? first : (first ?? asset);
    if (!record) return own ?? {};
    const recorded = await readLogs(store, [record, ...others], during);
    return "stats" in recorded ? { ...own, ...recorded, record } : (own ?? recorded);
  }
}

/** The log that the drone set, or else the newest one that is ready. */
async function logOf(trx: Db, execution: Execution | undefined): Promise<Asset> {
  const log = execution && (await findLog(trx, execution.id, execution.log_asset_id));
  if (!log) throw new DomainError("invalid_input", "This execution has no uploaded log.");
  return log;
}

const Payload = z.object({ execution_id: z.int(), asset_id: z.int() });

export const analyseLogTask =
  (service: FlightStatsService, db: Db): Task =>
  async (payload) => {
    const { execution_id, asset_id } = Payload.parse(payload);
    const [row, asset, execution] = await Promise.all([
      findStats(db, execution_id),
      findAsset(db, asset_id),
      findExecution(db, execution_id),
    ]);
    const wanted = row?.status === "pending" && row.asset_id === asset_id;
    if (wanted && execution && asset?.status === "ready") await service.analyse(execution, asset);
  };
