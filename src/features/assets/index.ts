import type { Route } from "../../http/route";
import { enqueueHourly } from "../../platform/jobs/hourly";
import type { Tasks } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";
import { assetRoutes } from "./assets.routes";
import { AssetsService } from "./assets.service";
import { ContentReader } from "./content-reader";
import { REMOVE_LEFTOVERS, removeLeftoversTask } from "./leftover-uploads";
import { removeObjectsTask } from "./removal";
import { makeThumbnailTask } from "./thumbnail";
import { UploadChecks } from "./upload-checks";
import { type ExecutionHooks, UploadsService } from "./uploads.service";
import { hasFfmpeg } from "./video/ffmpeg";
import { packageVideoTask, sweepPackaging } from "./video/video-stream";

export { assetFolder, assetKey, safeFileName, thumbnailKey } from "./asset-names";
export { AssetReply } from "./assets.schema";
export type { AssetsService } from "./assets.service";
export {
  type Asset,
  assetsOfExecution,
  countByStatus,
  deleteAssets,
  findAsset,
  findLog,
  IS_PENDING,
  insertAsset,
  lockAssetsOf,
  recordsOf,
  storedBytes,
  updateAsset,
  vehicleOwner,
  versionOf,
} from "./assets.store";
export { beginRemoval, type Removal } from "./removal";
export type { ExecutionHooks } from "./uploads.service";

interface AssetsDeps
  extends Pick<Services, "config" | "db" | "store" | "clock" | "log" | "lifecycle" | "quotas"> {
  readonly executions: ExecutionHooks;
}

/** Pictures, videos and logs of drones, from the upload to the download. */
export function assets(deps: AssetsDeps) {
  const service = new AssetsService(deps);
  const contents = new ContentReader(deps.config);
  const uploads = new UploadsService({ ...deps, contents, checks: new UploadChecks(deps.db) });
  enqueueHourly(deps, REMOVE_LEFTOVERS);
  const routes: readonly Route[] = assetRoutes(service, uploads);
  return { routes, service };
}

/** Jobs for thumbnails, videos for browsers, and objects of deleted rows. Videos only where ffmpeg is installed. */
export async function assetTasks(deps: Pick<Services, "db" | "store" | "clock" | "log">): Promise<Tasks> {
  const isPackager = await hasFfmpeg();
  if (!isPackager) deps.log.warn("Cannot run ffmpeg: another worker must package videos");
  else await sweepPackaging(deps.log);
  return {
    "make-thumbnail": makeThumbnailTask(deps),
    [REMOVE_LEFTOVERS]: removeLeftoversTask(deps),
    "remove-objects": removeObjectsTask(deps.store),
    ...(isPackager ? { "package-video": packageVideoTask(deps) } : {}),
  };
}
