import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Page } from "../../http/route";
import { URL_SECONDS } from "../../platform/objects/object-store";
import { KeyedMutex } from "../../platform/semaphore";
import type { Services } from "../../platform/services";
import { assetKey, safeFileName, thumbnailKey } from "./asset-names";
import { type AssetType, MAX_LISTED } from "./assets.schema";
import {
  type Asset,
  assetsOfDrone,
  assetsOfExecution,
  countAssets,
  deleteAssets,
  executionsOf,
  findAsset,
  lockAssetsOf,
  vehicleOwner,
} from "./assets.store";
import { beginRemoval } from "./removal";
import { signEach } from "./sign-each";
import type { ExecutionHooks } from "./uploads.service";
import { rewrittenPlaylist } from "./video/playlist";

interface Deps extends Pick<Services, "db" | "store" | "log" | "clock"> {
  readonly executions: ExecutionHooks;
}

/** An asset without the columns that only this service needs. */
const toAssetReply = (
  {
    url_expires_at: _,
    thumbnail: __,
    announced_size: ___,
    checked: ____,
    etag: _____,
    record,
    ...asset
  }: Asset,
  thumbnail_url: string | null,
) => ({ ...asset, recorded: record !== null, thumbnail_url });

type ShownAsset = ReturnType<typeof toAssetReply>;

/** The assets of vehicles, for their owners. Rejects with `forbidden` for another user's vehicle. */
export class AssetsService {
  /** One of a user is signed at a time. */
  private readonly playlists = new KeyedMutex<number>();

  constructor(private readonly deps: Deps) {}

  counts = (userId: number) => countAssets(this.deps.db, userId);

  async list(userId: number, vehicleId: number, page: Page, type?: AssetType): Promise<ShownAsset[]> {
    await this.checkVehicle(userId, vehicleId);
    const owned = { drone_id: vehicleId, user_id: userId };
    return this.replies(await assetsOfDrone(this.deps.db, owned, page, type));
  }

  /** The first ones, in the order of their creation. The caller checks that the user may see them. */
  ofExecution = async (executionId: number): Promise<ShownAsset[]> =>
    this.replies(await assetsOfExecution(this.deps.db, executionId, MAX_LISTED));

  /** With presigned URLs of the thumbnails. */
  replies = (assets: readonly Asset[]): Promise<ShownAsset[]> =>
    signEach(assets, async (asset) => toAssetReply(asset, await this.thumbnailUrl(asset)));

  async download(userId: number, vehicleId: number, assetId: number) {
    const asset = await this.ready(userId, vehicleId, assetId);
    return {
      download_url: await this.deps.store.presignGet(
        assetKey(asset),
        "user",
        URL_SECONDS,
        safeFileName(asset.file_name),
      ),
      file_name: asset.file_name,
      asset_type: asset.asset_type,
    };
  }

  /** The playlist of a video. Its segments' URLs are valid as long as the URL of a download. */
  async playlist(userId: number, vehicleId: number, assetId: number): Promise<string> {
    const asset = await this.ready(userId, vehicleId, assetId);
    if (asset.asset_type !== "video") throw new DomainError("not_found", "This asset is not a video.");
    if (asset.stream === "failed")
      throw new DomainError("not_found", "This video cannot be played; download it.");
    if (asset.stream !== "ready")
      throw new DomainError("not_found", "This video is still being prepared; try again shortly.");
    return this.playlists.run(userId, () => rewrittenPlaylist(this.deps.store, asset));
  }

  /** Returns the ids that were this vehicle's. Deletes the rows, and the objects at once or later by a job. */
  async delete(userId: number, vehicleId: number, ids: readonly number[]): Promise<number[]> {
    await this.checkVehicle(userId, vehicleId);
    const { db, store, log, clock, executions } = this.deps;
    const owned = { drone_id: vehicleId, user_id: userId };
    const { deleted, removal } = await db.transaction(async (trx) => {
      await lockAssetsOf(trx, vehicleId);
      for (const id of await executionsOf(trx, owned, ids)) await executions.lock(trx, id);
      const deleted = await deleteAssets(trx, owned, ids);
      for (const asset of deleted) await executions.assetChanged(trx, asset, clock.now());
      return { deleted, removal: await beginRemoval(trx, userId, deleted) };
    });
    await removal.finish(db, store, log);
    return deleted.map(({ id }) => id);
  }

  private async ready(userId: number, vehicleId: number, assetId: number): Promise<Asset> {
    await this.checkVehicle(userId, vehicleId);
    const asset = await findAsset(this.deps.db, assetId);
    if (asset?.drone_id !== vehicleId || !may(userId, "view", asset))
      throw new DomainError("not_found", "This vehicle has no such asset.");
    if (asset.status !== "ready") throw new DomainError("not_found", "This asset has not arrived.");
    return asset;
  }

  /** A deleted vehicle's assets stay with its owner, and those from the time of an earlier owner with that owner. */
  private async checkVehicle(userId: number, vehicleId: number): Promise<void> {
    const vehicle = await vehicleOwner(this.deps.db, vehicleId);
    if (!vehicle) throw new DomainError("not_found", "No such vehicle.");
    if (!may(userId, "view", vehicle)) throw new DomainError("forbidden", "This vehicle is not yours.");
  }

  private thumbnailUrl = async (asset: Asset): Promise<string | null> =>
    asset.thumbnail ? this.deps.store.presignGet(thumbnailKey(asset), "user", URL_SECONDS) : null;
}
