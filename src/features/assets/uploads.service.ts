import type { Readable } from "node:stream";
import { DomainError } from "../../domain/errors";
import type { DroneCaller } from "../../http/route";
import { enqueue } from "../../platform/jobs/jobs";
import { ObjectReplaced, type ObjectStore, type ObjectVersion } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { assetKey } from "./asset-names";
import type { UploadRequest } from "./assets.schema";
import {
  type Asset,
  findAsset,
  findReady,
  findUnfinished,
  insertAsset,
  lockAssetsOf,
  type NewAsset,
  updateAsset,
} from "./assets.store";
import { faultOf, kindOf, readContent } from "./content-check";
import { derivationOf } from "./derivation";

/** The part of executions that assets need. */
export interface ExecutionHooks {
  /**
   * Locks an execution until the transaction ends, and returns its drone and owner. Undefined when it does not exist.
   * Lock the execution before its assets.
   */
  lock(trx: Db, executionId: number): Promise<Pick<Asset, "drone_id" | "user_id"> | undefined>;
  /** An asset became ready, failed or was deleted, in this transaction. */
  assetChanged(trx: Db, asset: Asset, now: Date): Promise<void>;
}

interface UploadsDeps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly urlSeconds: number;
  readonly executions: ExecutionHooks;
}

/** Uploads of drones: a drone gets a URL, puts the content there, and completes the upload. */
export class UploadsService {
  constructor(private readonly deps: UploadsDeps) {}

  /**
   * A URL for the upload. Rejects with `conflict` when the same file of this drone was uploaded before, and with
   * `forbidden` for another drone's execution.
   */
  async begin(drone: DroneCaller, request: UploadRequest): Promise<{ asset: Asset; url: string }> {
    const { db, store, clock, urlSeconds } = this.deps;
    const asset = await db.transaction(async (trx) => {
      await lockAssetsOf(trx, drone.id);
      const execution = request.execution_id
        ? await this.lockExecution(trx, drone, request.execution_id)
        : undefined;
      const wanted: NewAsset = {
        drone_id: drone.id,
        // The owner at the time of the flight, who may have sold the drone since.
        user_id: execution?.user_id ?? drone.user_id,
        execution_id: request.execution_id ?? null,
        asset_type: request.asset_type,
        file_name: request.file_name,
        mime_type: request.mime_type ?? null,
        checksum: request.checksum ?? null,
        url_expires_at: new Date(clock.now().getTime() + urlSeconds * 1000),
      };
      const ready = await findReady(trx, wanted);
      if (ready) throw new DomainError("conflict", `This file was uploaded before, as asset ${ready.id}.`);
      const unfinished = await findUnfinished(trx, wanted);
      if (!unfinished) return insertAsset(trx, wanted);
      const execution_id = wanted.execution_id ?? unfinished.execution_id;
      return (await updateAsset(trx, unfinished.id, {
        ...wanted,
        execution_id,
        status: "pending",
        failure: null,
      })) as Asset;
    });
    return { asset, url: await store.presignPut(assetKey(asset), "drone", urlSeconds) };
  }

  /**
   * Checks the uploaded content. Marks the asset as failed and rejects with `invalid_input` when there is none or not the
   * announced one. Safe to repeat: a failed asset may become ready, and a ready one stays ready.
   */
  async complete(drone: DroneCaller, assetId: number): Promise<Asset> {
    const { db, store, clock } = this.deps;
    const asset = await findAsset(db, assetId);
    if (!asset) throw new DomainError("not_found", "No such asset.");
    if (asset.drone_id !== drone.id) throw new DomainError("forbidden", "This is another drone's asset.");
    if (asset.status === "ready") return asset;
    const key = assetKey(asset);
    const version = await store.head(key);
    if (!version) throw await this.fail(asset, "Nothing was uploaded under this asset's URL.");
    const content = await readContent(await this.read(asset, version));
    const fault = faultOf(content, asset);
    if (fault) throw await this.fail(asset, fault);
    return db.transaction(async (trx) => {
      const ready = await this.update(trx, asset, {
        status: "ready",
        failure: null,
        size: content.size,
        sha256: content.sha256,
        etag: version.etag,
        mime_type: asset.mime_type ?? kindOf(content.head)?.mime ?? null,
        stream: asset.asset_type === "video" ? "pending" : "none",
        completed_at: clock.now(),
      });
      // Another request completed or deleted it meanwhile, and enqueued the jobs.
      if (!ready) return (await findAsset(trx, asset.id)) ?? asset;
      if (ready.asset_type === "image") await enqueue(trx, derivationOf(ready, "make-thumbnail"));
      if (ready.asset_type === "video") await enqueue(trx, derivationOf(ready, "package-video"));
      return ready;
    });
  }

  private async lockExecution(trx: Db, drone: DroneCaller, executionId: number) {
    const execution = await this.deps.executions.lock(trx, executionId);
    if (!execution) throw new DomainError("not_found", "No such execution.");
    if (execution.drone_id !== drone.id)
      throw new DomainError("forbidden", "This is another drone's execution.");
    return execution;
  }

  /** Undefined when the asset is ready already or was deleted. Reads its execution again, since it may have changed. */
  private async update(
    trx: Db,
    { id, drone_id }: Asset,
    changes: Partial<Omit<Asset, "id">>,
  ): Promise<Asset | undefined> {
    const { executions, clock } = this.deps;
    await lockAssetsOf(trx, drone_id);
    const execution = (await findAsset(trx, id))?.execution_id;
    if (execution) await executions.lock(trx, execution);
    const updated = await updateAsset(trx, id, changes, "ready");
    if (updated) await executions.assetChanged(trx, updated, clock.now());
    return updated;
  }

  private read(asset: Asset, version: ObjectVersion): Promise<Readable> {
    return this.deps.store.read(assetKey(asset), version).catch(async (error: unknown) => {
      if (!(error instanceof ObjectReplaced)) throw error;
      throw await this.fail(asset, "The file was replaced while it was checked; complete the upload again.");
    });
  }

  /** Returns the error for the caller. */
  private async fail(asset: Asset, failure: string): Promise<DomainError> {
    await this.deps.db.transaction((trx) => this.update(trx, asset, { status: "failed", failure }));
    return new DomainError("invalid_input", failure);
  }
}
