import { DomainError } from "../../domain/errors";
import type { DroneCaller } from "../../http/route";
import { enqueue } from "../../platform/jobs/jobs";
import {
  isSameVersion,
  LARGEST_OBJECT,
  ObjectReplaced,
  type ObjectVersion,
  URL_SECONDS,
} from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { assetKey, uploadFolder, uploadKey } from "./asset-names";
import type { UploadRequest } from "./assets.schema";
import {
  type Asset,
  countUploads,
  findAsset,
  findReady,
  findUnfinished,
  insertAsset,
  lockAssetsOf,
  lockBytesOf,
  type NewAsset,
  storedBytes,
  updateAsset,
} from "./assets.store";
import { type Content, faultOf } from "./content-check";
import type { ContentReader } from "./content-reader";
import { derivationOf } from "./derivation";
import { isTooLate } from "./leftover-uploads";
import { beginRemoval } from "./removal";
import type { UploadChecks } from "./upload-checks";

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

interface UploadsDeps extends Pick<Services, "db" | "store" | "clock" | "quotas" | "log"> {
  readonly executions: ExecutionHooks;
  readonly contents: ContentReader;
  readonly checks: UploadChecks;
}

/** Uploads of drones: a drone gets a URL, puts the content there, and completes the upload. */
export class UploadsService {
  constructor(private readonly deps: UploadsDeps) {}

  /**
   * A URL for the upload. Rejects with `conflict` when the same file of this drone was uploaded before, with `forbidden`
   * for another drone's execution, and with `too_many_requests` beyond a quota.
   */
  async begin(drone: DroneCaller, request: UploadRequest): Promise<{ asset: Asset; url: string }> {
    const { db, store, clock } = this.deps;
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
        announced_size: request.size ?? null,
        url_expires_at: new Date(clock.now().getTime() + URL_SECONDS * 1000),
      };
      await lockBytesOf(trx, wanted.user_id);
      const ready = await findReady(trx, wanted);
      if (ready) throw new DomainError("conflict", `This file was uploaded before, as asset ${ready.id}.`);
      const unfinished = await findUnfinished(trx, wanted);
      await this.checkQuotas(trx, wanted, unfinished);
      return unfinished ? this.beginAgain(trx, unfinished, wanted) : insertAsset(trx, wanted);
    });
    const url = await store.presignPut(uploadKey(asset), "drone", URL_SECONDS, asset.announced_size);
    return { asset, url };
  }

  /**
   * Checks the uploaded content and copies it to the asset's key. Marks the asset as failed and rejects with
   * `invalid_input` when there is none or not the announced one, and with `too_many_requests` when it is beyond a quota.
   * Safe to repeat: a failed asset may become ready, and a ready one stays ready.
   */
  async complete(drone: DroneCaller, assetId: number): Promise<Asset> {
    const asked = await this.assetOf(drone, assetId);
    if (asked.status === "ready") return asked;
    return this.deps.checks.run(drone.id, async () => {
      // Another request may have completed it meanwhile.
      const asset = await this.assetOf(drone, assetId);
      if (asset.status === "ready") return asset;
      return this.check(asset).catch(async (error: unknown) => {
        if (!(error instanceof ObjectReplaced)) throw error;
        const failure = "The file was replaced while it was checked; complete the upload again.";
        throw await this.fail(asset, failure);
      });
    });
  }

  private async assetOf(drone: DroneCaller, assetId: number): Promise<Asset> {
    const asset = await findAsset(this.deps.db, assetId);
    if (!asset) throw new DomainError("not_found", "No such asset.");
    if (asset.drone_id !== drone.id) throw new DomainError("forbidden", "This is another drone's asset.");
    if (asset.record !== null) throw new DomainError("forbidden", "This service writes this asset itself.");
    return asset;
  }

  private async check(asset: Asset): Promise<Asset> {
    const { db, store, clock, log } = this.deps;
    if (isTooLate(asset, clock.now()))
      throw await this.fail(asset, "The upload's URL ended more than a day ago; upload the file again.");
    const version = await store.head(uploadKey(asset));
    if (!version) throw await this.fail(asset, "Nothing was uploaded under this asset's URL.");
    await this.checkSize(asset, version.size);
    const content = await this.contentOf(asset, version);
    const fault = faultOf(content, asset);
    const found = { size: version.size, checked: { ...content, etag: version.etag } };
    if (fault) throw await this.fail(asset, fault, found);
    const copy = await store.copy(uploadKey(asset), version, assetKey(asset)).catch(async (error) => {
      // The next completion need not read it again.
      await updateAsset(db, asset.id, { checked: found.checked }, "ready");
      throw error;
    });
    const { completed, removal } = await db.transaction(async (trx) => {
      const ready = await this.update(trx, asset, {
        status: "ready",
        failure: null,
        checked: null,
        size: content.size,
        sha256: content.sha256,
        etag: copy.etag,
        mime_type: asset.mime_type ?? content.kind?.mime ?? null,
        stream: asset.asset_type === "video" ? "pending" : "none",
        completed_at: clock.now(),
      });
      // Another request completed it meanwhile, and enqueued the jobs.
      const completed = ready ?? (await findAsset(trx, asset.id));
      return { completed, removal: completed ? undefined : await beginRemoval(trx, asset.user_id, [asset]) };
    });
    await removal?.finish(db, store, log);
    if (!completed) return asset;
    // Its upload is now another one.
    if (completed.status !== "ready") throw new ObjectReplaced("The upload was begun again.");
    // What is not deleted here is deleted by the job that removes leftovers.
    await store.deletePrefix(uploadFolder(asset)).catch(() => undefined);
    return completed;
  }

  private async beginAgain(trx: Db, { id, execution_id }: Asset, wanted: NewAsset): Promise<Asset> {
    const again = { ...wanted, execution_id: wanted.execution_id ?? execution_id };
    return (await updateAsset(trx, id, { ...again, status: "pending", failure: null })) as Asset;
  }

  private async lockExecution(trx: Db, drone: DroneCaller, executionId: number) {
    const execution = await this.deps.executions.lock(trx, executionId);
    if (!execution) throw new DomainError("not_found", "No such execution.");
    if (execution.drone_id !== drone.id)
      throw new DomainError("forbidden", "This is another drone's execution.");
    return execution;
  }

  /**
   * Undefined when the asset is ready already, was deleted, or when its upload was begun again. Reads its execution
   * again, since it may have changed.
   */
  private async update(
    trx: Db,
    asset: Asset,
    changes: Partial<Omit<Asset, "id">>,
  ): Promise<Asset | undefined> {
    const { executions, clock } = this.deps;
    const { id, drone_id } = asset;
    await lockAssetsOf(trx, drone_id);
    const current = await findAsset(trx, id);
    if (!current || wasBegunAgain(current, asset)) return undefined;
    if (current.execution_id) await executions.lock(trx, current.execution_id);
    const updated = await updateAsset(trx, id, changes, "ready");
    if (!updated) return undefined;
    // Before the report, which shows the thumbnail.
    const derivation = updated.status === "ready" ? derivationOf(updated) : undefined;
    if (derivation) await enqueue(trx, derivation);
    await executions.assetChanged(trx, updated, clock.now());
    return updated;
  }

  /** A repeated request is answered by the quotas that hold for all assets, and not by the number of them. */
  private async checkQuotas(trx: Db, wanted: NewAsset, unfinished: Asset | undefined): Promise<void> {
    const { quotas } = this.deps;
    const now = this.deps.clock.now();
    const size = wanted.announced_size ?? 1;
    this.checkBytes(size);
    const stored = await storedBytes(trx, wanted.user_id, now, unfinished?.id);
    quotas.checkAmount("stored_bytes", stored + size);
    if (unfinished) return;
    const { assets, pending } = await countUploads(trx, wanted, now);
    quotas.checkAmount("pending_assets", pending + 1);
    quotas.checkAmount("assets", assets + 1);
  }

  private checkBytes(size: number): void {
    if (size > LARGEST_OBJECT) throw new DomainError("invalid_input", "An upload has at most 5 GiB.");
    this.deps.quotas.checkAmount("upload_bytes", size);
  }

  /** An object that is larger than announced or than a quota allows is deleted unread. */
  private async checkSize(asset: Asset, size: number): Promise<void> {
    const { db, store, clock, quotas } = this.deps;
    const announced = asset.announced_size ?? size;
    if (size === 0) throw await this.fail(asset, "The uploaded file is empty.");
    const differs = `The upload has ${size} bytes, not ${announced}.`;
    if (size < announced) throw await this.fail(asset, differs, { size });
    try {
      if (size > announced) throw new DomainError("invalid_input", differs);
      this.checkBytes(size);
      await db.transaction(async (trx) => {
        await lockBytesOf(trx, asset.user_id);
        const stored = await storedBytes(trx, asset.user_id, clock.now(), asset.id);
        quotas.checkAmount("stored_bytes", stored + size);
        // From now on it counts, also while it is read.
        await updateAsset(trx, asset.id, { size }, "ready");
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await this.fail(asset, error.message);
      await store.deletePrefix(uploadFolder(asset));
      throw error;
    }
  }

  private contentOf(asset: Asset, version: ObjectVersion): Promise<Content> {
    const { checked } = asset;
    if (checked && version.etag !== null && isSameVersion(checked, version)) return Promise.resolve(checked);
    return this.deps.contents.read(uploadKey(asset), version);
  }

  /** Returns the error for the caller. */
  private async fail(
    asset: Asset,
    failure: string,
    found: Pick<Partial<Asset>, "size" | "checked"> = {},
  ): Promise<DomainError> {
    const changes = { status: "failed", failure, size: null, checked: null, ...found } as const;
    await this.deps.db.transaction((trx) => this.update(trx, asset, changes));
    return new DomainError("invalid_input", failure);
  }
}

/** Whether it is another upload, with another URL, of the same file. */
const wasBegunAgain = (now: Asset, before: Asset): boolean =>
  now.checksum !== before.checksum ||
  now.announced_size !== before.announced_size ||
  now.url_expires_at.getTime() !== before.url_expires_at.getTime();
