import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { DroneCaller, Page } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { withTimeout } from "../../platform/with-timeout";
import type { VerifiedPlan } from "../../vehicle";
import {
  type Asset,
  beginRemoval,
  deleteAssets,
  findAsset,
  lockAssetsOf,
  updateAsset,
  vehicleOwner,
} from "../assets";
import { lockMission } from "../missions";
import { archiveKey } from "./archive/archive-keys";
import { invalidateArchive } from "./archive/archives.store";
import { executionHooks } from "./asset-hooks";
import type { CompleteRequest } from "./executions.schema";
import {
  currentExecution,
  deleteExecution,
  type Execution,
  findExecution,
  insertExecution,
  lockExecution,
  lockExecutions,
  missionOfDrone,
  pageOf,
  updateExecution,
  verifiedPlan,
} from "./executions.store";
import { requestReport } from "./report/dispatch";
import { deleteStats, findStats, resetStats } from "./stats.store";

interface Deps extends Pick<Services, "db" | "store" | "clock" | "log" | "quotas"> {
  /** Reads the plan on board. Rejects when the drone does not send it. */
  readonly readPlan: (droneId: number) => Promise<VerifiedPlan>;
}

/** A drone that is about to fly does not wait longer for the reading of its plan. */
const PLAN_WAIT_MS = 3_000;

/** Executions: started and completed by drones, read and deleted by their owners. */
export class ExecutionsService {
  constructor(private readonly deps: Deps) {}

  /**
   * Starts an execution, or returns the one in progress. Reads the plan on board and compares it with the one that was
   * verified at its upload. The execution starts also when the plan cannot be read.
   */
  async start(drone: DroneCaller, missionId?: number | null): Promise<Execution> {
    const { db, clock, quotas } = this.deps;
    const begun = await db.transaction(async (trx) => {
      const mission = await this.missionFor(trx, drone, missionId);
      const begun = await insertExecution(trx, {
        drone_id: drone.id,
        user_id: drone.user_id,
        mission_id: mission?.id ?? null,
        mission_name: mission?.name ?? null,
        started_at: clock.now(),
        verified_plan_hash: (await verifiedPlan(trx, drone.id))?.hash ?? null,
      });
      if (begun) await quotas.take("executions", drone.id);
      return begun;
    });
    if (!begun) return (await currentExecution(db, drone.id)) ?? this.start(drone, missionId);
    const read = withTimeout(this.readPlan(begun), PLAN_WAIT_MS, "The plan is not read yet.");
    return (await read.catch(() => undefined)) ?? begun;
  }

  /** Safe to repeat with the same status. Rejects with `forbidden` for another drone's. */
  async complete(drone: DroneCaller, id: number, { status, notes }: CompleteRequest): Promise<Execution> {
    const { db, clock } = this.deps;
    return db.transaction(async (trx) => {
      const execution = await lockExecution(trx, id);
      checkDrone(execution, drone);
      if (execution.status === status) return execution;
      if (execution.status !== "in_progress")
        throw new DomainError("invalid_input", `This execution is already ${execution.status}.`);
      const completed_at = clock.now();
      const changes = { status, completed_at, ...(notes == null ? {} : { notes }) };
      const ended = (await updateExecution(trx, id, changes)) as Execution;
      await invalidateArchive(trx, id);
      await requestReport(trx, ended);
      return (await findExecution(trx, id)) as Execution;
    });
  }

  /**
   * Sets the flight log of this execution, which is analysed in the background once it is uploaded. Another execution
   * that had the log loses it and its statistics, and its report no longer waits for it.
   */
  async attachLog(drone: DroneCaller, id: number, assetId: number) {
    const { db, clock } = this.deps;
    await db.transaction(async (trx) => {
      await lockAssetsOf(trx, drone.id);
      const execution = await findExecution(trx, id);
      checkDrone(execution, drone);
      const asset = await findAsset(trx, assetId);
      checkLog(asset, execution);
      const former = asset.execution_id ?? id;
      await lockExecutions(trx, [id, former]);
      await updateAsset(trx, assetId, { execution_id: id });
      await updateExecution(trx, id, { log_asset_id: assetId });
      // The figures of a record stand until the log is there.
      if (asset.status === "ready" || !(await findStats(trx, id))?.recorded)
        await resetStats(trx, id, assetId);
      await executionHooks.assetChanged(trx, { ...asset, execution_id: id }, clock.now());
      if (former !== id) await this.detachLog(trx, former, asset);
    });
    return { execution_id: id, asset_id: assetId, status: "pending" as const };
  }

  current = async (drone: DroneCaller): Promise<Execution | null> =>
    (await currentExecution(this.deps.db, drone.id)) ?? null;

  list = (userId: number, page: Page) => pageOf(this.deps.db, { user_id: userId }, page);

  async listOfVehicle(userId: number, vehicleId: number, page: Page) {
    const vehicle = await vehicleOwner(this.deps.db, vehicleId);
    if (!vehicle) throw new DomainError("not_found", "No such vehicle.");
    if (!may(userId, "view", vehicle)) throw new DomainError("forbidden", "This vehicle is not yours.");
    // Flights under an earlier owner belong to that owner.
    return pageOf(this.deps.db, { user_id: userId, drone_id: vehicleId }, page);
  }

  /** Rejects with `not_found` also for another user's execution: other users do not learn whether it exists. */
  async get(userId: number, id: number): Promise<Execution> {
    const execution = await findExecution(this.deps.db, id);
    if (!execution || !may(userId, "view", execution))
      throw new DomainError("not_found", "No such execution.");
    return execution;
  }

  /** Deletes the rows, and the objects and the archive at once or later by a job. */
  async delete(userId: number, id: number): Promise<void> {
    const { db, store, log } = this.deps;
    const { drone_id } = await this.get(userId, id);
    const removal = await db.transaction(async (trx) => {
      await lockAssetsOf(trx, drone_id);
      await lockExecution(trx, id);
      const deleted = await deleteAssets(trx, { execution_id: id });
      await deleteExecution(trx, id);
      return beginRemoval(trx, userId, deleted, [archiveKey(id)]);
    });
    await removal.finish(db, store, log);
  }

  private async detachLog(trx: Db, id: number, asset: Asset): Promise<void> {
    const named = (await findExecution(trx, id))?.log_asset_id;
    if (named === asset.id) await updateExecution(trx, id, { log_asset_id: null });
    await deleteStats(trx, id, asset.id);
    await executionHooks.assetChanged(trx, { ...asset, execution_id: id }, this.deps.clock.now());
  }

  /** The mission of the request, which must be the owner's, or else the drone's mission. */
  private async missionFor(trx: Db, drone: DroneCaller, missionId?: number | null) {
    const id = missionId ?? (await missionOfDrone(trx, drone.id));
    if (id === null) return undefined;
    const mission = await lockMission(trx, drone.user_id, id);
    if (!mission && missionId) throw new DomainError("not_found", "The drone's owner has no such mission.");
    return mission && { id, name: mission.name };
  }

  private async readPlan({ id, drone_id, verified_plan_hash }: Execution): Promise<Execution | undefined> {
    const { db, log } = this.deps;
    try {
      const { hash, items } = await this.deps.readPlan(drone_id);
      const known = verified_plan_hash === hash ? "verified" : "different";
      const state = verified_plan_hash === null ? "unverified" : known;
      return await db.transaction(async (trx) => {
        const execution = await updateExecution(trx, id, {
          plan_hash: hash,
          plan_items: items,
          plan_state: state,
        });
        await invalidateArchive(trx, id);
        return execution;
      });
    } catch (error) {
      log.warn(
        { err: error, execution_id: id },
        "The plan on board could not be read at the start of an execution",
      );
      return undefined;
    }
  }
}

function checkDrone(execution: Execution | undefined, drone: DroneCaller): asserts execution is Execution {
  if (!execution) throw new DomainError("not_found", "No such execution.");
  if (execution.drone_id !== drone.id)
    throw new DomainError("forbidden", "This is another drone's execution.");
}

function checkLog(asset: Asset | undefined, execution: Execution): asserts asset is Asset {
  if (!asset) throw new DomainError("not_found", "No such asset.");
  if (asset.drone_id !== execution.drone_id)
    throw new DomainError("forbidden", "This is another drone's asset.");
  if (!may(execution.user_id, "view", asset))
    throw new DomainError(
      "forbidden",
      "This asset and this execution belong to different owners of the drone.",
    );
  if (asset.asset_type !== "logs") throw new DomainError("invalid_input", "This asset is not a log.");
  if (asset.record !== null) throw new DomainError("invalid_input", "This log is a record of this service.");
}
