import { DomainError } from "../../domain/errors";
import type { DroneCaller } from "../../http/route";
import type { Clock } from "../../platform/clock";
import type { Db } from "../../platform/db";
import { enqueue } from "../../platform/jobs";
import type { ObjectStore } from "../../platform/object-store";
import { assetKey } from "./asset-names";
import type { UploadWish } from "./assets.schema";
import {
  type Asset,
  findArrived,
  findAsset,
  findUnfinished,
  insertAsset,
  lockFile,
  type NewAsset,
  updateAsset,
} from "./assets.store";
import { faultOf, kindOf, readContent } from "./content-check";
import { derivationOf } from "./derivation";

/** What assets must know of executions, and tell them. */
export interface ExecutionsOfAssets {
  /** The drone whose execution it is; undefined when there is none. */
  droneOf(db: Db, executionId: number): Promise<number | undefined>;
  /** Held until the transaction ends. Whoever changes an asset holds its execution first, so that nobody waits for two. */
  hold(trx: Db, executionId: number): Promise<unknown>;
  /** In the transaction that settles it: nothing is to be waited for any more from this asset. */
  settled(trx: Db, asset: Asset): Promise<void>;
}

export interface UploadsDeps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly urlSeconds: number;
  readonly executions: ExecutionsOfAssets;
}

/** How what a drone brought back reaches the store: it asks for a URL, puts, and says that it did. */
export class UploadsService {
  constructor(private readonly deps: UploadsDeps) {}

  /**
   * A URL for the upload. Rejects with `conflict` when the same file of this drone is here already, with
   * `forbidden` for another drone's execution.
   */
  async begin(drone: DroneCaller, wish: UploadWish): Promise<{ asset: Asset; url: string }> {
    const { db, store, clock, urlSeconds } = this.deps;
    const asset = await db.transaction(async (trx) => {
      if (wish.execution_id) await this.checkExecution(trx, drone, wish.execution_id);
      const wanted: NewAsset = {
        drone_id: drone.id,
        user_id: drone.user_id,
        execution_id: wish.execution_id ?? null,
        asset_type: wish.asset_type,
        file_name: wish.file_name,
        mime_type: wish.mime_type ?? null,
        checksum: wish.checksum ?? null,
        url_expires_at: new Date(clock.now().getTime() + urlSeconds * 1000),
      };
      await lockFile(trx, drone.id, wish.file_name);
      const arrived = await findArrived(trx, wanted);
      if (arrived) throw new DomainError("conflict", `This file is here already, as asset ${arrived.id}.`);
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
   * Look at what arrived. Rejects with `invalid_input`, and the asset has failed, when nothing did or something
   * else than announced. Safe to repeat: a failed one may be whole the next time, a ready one stays ready.
   */
  async complete(drone: DroneCaller, assetId: number): Promise<Asset> {
    const { db, store, clock, executions } = this.deps;
    const asset = await findAsset(db, assetId);
    if (!asset) throw new DomainError("not_found", "No such asset.");
    if (asset.drone_id !== drone.id) throw new DomainError("forbidden", "This is another drone's asset.");
    if (asset.status === "ready") return asset;
    const key = assetKey(asset);
    const size = await store.sizeOf(key);
    if (size === undefined) throw await this.fail(asset, "Nothing was uploaded under this asset's URL.");
    const content = await readContent(await store.read(key));
    const fault = faultOf(content, asset);
    if (fault) throw await this.fail(asset, fault);
    return db.transaction(async (trx) => {
      if (asset.execution_id !== null) await executions.hold(trx, asset.execution_id);
      const changes = {
        status: "ready",
        failure: null,
        size: content.size,
        sha256: content.sha256,
        mime_type: asset.mime_type ?? kindOf(content.head)?.mime ?? null,
        stream: asset.asset_type === "video" ? "pending" : "none",
        completed_at: clock.now(),
      } as const;
      const ready = await updateAsset(trx, asset.id, changes, "ready");
      // Somebody else completed or deleted it meanwhile, and did all that follows.
      if (!ready) return (await findAsset(trx, asset.id)) ?? asset;
      if (ready.asset_type === "image") await enqueue(trx, derivationOf(ready, "make-thumbnail"));
      if (ready.asset_type === "video") await enqueue(trx, derivationOf(ready, "package-video"));
      await executions.settled(trx, ready);
      return ready;
    });
  }

  private async checkExecution(db: Db, drone: DroneCaller, executionId: number): Promise<void> {
    const droneId = await this.deps.executions.droneOf(db, executionId);
    if (droneId === undefined) throw new DomainError("not_found", "No such execution.");
    if (droneId !== drone.id) throw new DomainError("forbidden", "This is another drone's execution.");
  }

  /** Returns the error that says so. */
  private async fail(asset: Asset, failure: string): Promise<DomainError> {
    const { db, executions } = this.deps;
    await db.transaction(async (trx) => {
      if (asset.execution_id !== null) await executions.hold(trx, asset.execution_id);
      const failed = await updateAsset(trx, asset.id, { status: "failed", failure }, "ready");
      if (failed) await executions.settled(trx, failed);
    });
    return new DomainError("invalid_input", failure);
  }
}
