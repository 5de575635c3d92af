import { DomainError } from "../../domain/errors";
import type { DroneCaller } from "../../http/route";
import { enqueue } from "../../platform/jobs/jobs";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { assetKey } from "./asset-names";
import type { UploadRequest } from "./assets.schema";
import {
  type Asset,
  findArrived,
  findAsset,
  findUnfinished,
  insertAsset,
  lockAssetsOf,
  type NewAsset,
  updateAsset,
} from "./assets.store";
import { faultOf, kindOf, readContent } from "./content-check";
import { derivationOf } from "./derivation";

/** What assets must know of executions, and tell them. */
export interface ExecutionsOfAssets {
  /**
   * The drone that flew it and whom it flew for, held until the transaction ends; undefined when there is none.
   * Whoever changes an asset holds its execution first.
   */
  hold(trx: Db, executionId: number): Promise<Pick<Asset, "drone_id" | "user_id"> | undefined>;
  /** In the transaction that does it: this asset has arrived, failed, or is gone. */
  settled(trx: Db, asset: Asset, now: Date): Promise<void>;
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
  async begin(drone: DroneCaller, wish: UploadRequest): Promise<{ asset: Asset; url: string }> {
    const { db, store, clock, urlSeconds } = this.deps;
    const asset = await db.transaction(async (trx) => {
      await lockAssetsOf(trx, drone.id);
      const execution = wish.execution_id ? await this.held(trx, drone, wish.execution_id) : undefined;
      const wanted: NewAsset = {
        drone_id: drone.id,
        // Whom it was flown for, who may have sold the drone since.
        user_id: execution?.user_id ?? drone.user_id,
        execution_id: wish.execution_id ?? null,
        asset_type: wish.asset_type,
        file_name: wish.file_name,
        mime_type: wish.mime_type ?? null,
        checksum: wish.checksum ?? null,
        url_expires_at: new Date(clock.now().getTime() + urlSeconds * 1000),
      };
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
    const { db, store, clock } = this.deps;
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
      const ready = await this.settle(trx, asset, {
        status: "ready",
        failure: null,
        size: content.size,
        sha256: content.sha256,
        mime_type: asset.mime_type ?? kindOf(content.head)?.mime ?? null,
        stream: asset.asset_type === "video" ? "pending" : "none",
        completed_at: clock.now(),
      });
      // Somebody else completed or deleted it meanwhile, and did all that follows.
      if (!ready) return (await findAsset(trx, asset.id)) ?? asset;
      if (ready.asset_type === "image") await enqueue(trx, derivationOf(ready, "make-thumbnail"));
      if (ready.asset_type === "video") await enqueue(trx, derivationOf(ready, "package-video"));
      return ready;
    });
  }

  private async held(trx: Db, drone: DroneCaller, executionId: number) {
    const execution = await this.deps.executions.hold(trx, executionId);
    if (!execution) throw new DomainError("not_found", "No such execution.");
    if (execution.drone_id !== drone.id)
      throw new DomainError("forbidden", "This is another drone's execution.");
    return execution;
  }

  /** Undefined when it is ready already, or gone. It may belong to another execution than when it was looked at. */
  private async settle(
    trx: Db,
    { id, drone_id }: Asset,
    changes: Partial<Omit<Asset, "id">>,
  ): Promise<Asset | undefined> {
    const { executions, clock } = this.deps;
    await lockAssetsOf(trx, drone_id);
    const execution = (await findAsset(trx, id))?.execution_id;
    if (execution) await executions.hold(trx, execution);
    const settled = await updateAsset(trx, id, changes, "ready");
    if (settled) await executions.settled(trx, settled, clock.now());
    return settled;
  }

  /** Returns the error that says so. */
  private async fail(asset: Asset, failure: string): Promise<DomainError> {
    await this.deps.db.transaction((trx) => this.settle(trx, asset, { status: "failed", failure }));
    return new DomainError("invalid_input", failure);
  }
}
