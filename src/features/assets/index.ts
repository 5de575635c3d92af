import type { Route } from "../../http/route";
import type { Tasks } from "../../platform/jobs/worker";
import { type BucketSettings, type ObjectStore, URL_SECONDS } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import type { Quotas } from "../../platform/quotas/quotas";
import { assetRoutes } from "./assets.routes";
import { AssetsService } from "./assets.service";
import { ContentReader } from "./content-reader";
import { removeObjectsTask } from "./removal";
import { makeThumbnailTask } from "./thumbnail";
import { UploadChecks } from "./upload-checks";
import { type ExecutionHooks, UploadsService } from "./uploads.service";
import { canRun } from "./video/ffmpeg";
import { packageVideoTask, sweepPackaging } from "./video/video-stream";

export { assetKey, safeFileName, thumbnailKey } from "./asset-names";
export { AssetReply } from "./assets.schema";
export type { AssetsService } from "./assets.service";
export {
  type Asset,
  assetsOfExecution,
  countByStatus,
  deleteAssets,
  findAsset,
  findLog,
  lockAssetsOf,
  updateAsset,
  vehicleOwner,
  versionOf,
} from "./assets.store";
export { beginRemoval, type Removal } from "./removal";
export type { ExecutionHooks } from "./uploads.service";

interface AssetsDeps {
  readonly config: BucketSettings;
  readonly db: Db;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly executions: ExecutionHooks;
  readonly quotas: Quotas;
}

/** Pictures, videos and logs of drones, from the upload to the download. */
export function assets({ config, db, store, clock, log, executions, quotas }: AssetsDeps) {
  const service = new AssetsService({
    db,
    store,
    log,
    clock,
    executions,
    downloadSeconds: URL_SECONDS,
  });
  const uploads = new UploadsService({
    db,
    store,
    clock,
    executions,
    urlSeconds: URL_SECONDS,
    quotas,
    contents: new ContentReader(config),
    checks: new UploadChecks(db),
  });
  const routes: readonly Route[] = assetRoutes(service, uploads);
  return { routes, service };
}

/** Jobs for thumbnails, videos for browsers, and objects of deleted rows. Videos only where ffmpeg is installed. */
export async function assetTasks(deps: {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly log: Logger;
}): Promise<Tasks> {
  const ffmpeg = "ffmpeg";
  const hasFfmpeg = await canRun(ffmpeg);
  if (!hasFfmpeg) deps.log.warn("Cannot run ffmpeg: another worker must package videos");
  else await sweepPackaging(deps.log);
  return {
    "make-thumbnail": makeThumbnailTask(deps),
    "remove-objects": removeObjectsTask(deps.store),
    ...(hasFfmpeg ? { "package-video": packageVideoTask({ ...deps, ffmpeg }) } : {}),
  };
}
