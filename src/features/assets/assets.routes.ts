import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { ids, type Route, route } from "../../http/route";
import {
  AssetCounts,
  AssetPage,
  AssetReply,
  CompleteUploadRequest,
  DeleteReply,
  DeleteRequest,
  DownloadReply,
  UploadedReply,
  UploadReply,
  UploadRequest,
} from "./assets.schema";
import type { AssetsService } from "./assets.service";
import type { UploadsService } from "./uploads.service";

const tag = "Assets";
const fromDrone = { tag, guard: "drone", envelope: "A+top" } as const;
const fromOwner = { tag, guard: "user", envelope: "A" } as const;
const vehicle = ids("vehicle_id");
const asset = ids("vehicle_id", "asset_id");
const notYours = { 403: "The vehicle is not yours." };

/** The playlist is a raw body. Its errors have the envelope of the other asset routes. */
const errorA = (message: string, code: number) => ({ success: false, error: { code, message } });

export function assetRoutes(service: AssetsService, uploads: UploadsService): readonly Route[] {
  return [
    route({
      ...fromDrone,
      method: "post",
      path: "/authenticate_upload",
      summary: "Get a URL for the upload of a file",
      description:
        "PUT the content to the URL, for example with `curl -T`, then call `/complete_upload`. A second request before that gets the same asset and a new URL.",
      body: UploadRequest,
      success: { status: 200, schema: UploadReply },
      documents: {
        403: "The execution is another drone's.",
        404: "There is no such execution.",
        409: "The same file was uploaded before.",
      },
      handle: async ({ caller, body }) => {
        const { asset, url } = await uploads.begin(caller, body);
        return { url, asset_id: asset.id };
      },
    }),
    route({
      ...fromDrone,
      method: "post",
      path: "/complete_upload",
      summary: "Complete the upload of a file",
      description:
        "Checks the content: 400 when it is missing, empty, or not what was announced. Safe to repeat.",
      body: CompleteUploadRequest,
      success: { status: 200, schema: UploadedReply },
      documents: { 403: "The asset is another drone's.", 404: "No such asset." },
      handle: async ({ caller, body }) => {
        const { id, user_id, drone_id } = await uploads.complete(caller, body.asset_id);
        return { asset_id: id, user_id, drone_id };
      },
    }),
    route({
      ...fromOwner,
      method: "get",
      path: "/assets/user",
      summary: "Number of assets of each of your vehicles",
      success: { status: 200, schema: z.array(AssetCounts) },
      handle: ({ caller }) => service.counts(caller.id),
    }),
    route({
      ...fromOwner,
      method: "get",
      path: "/assets/:vehicle_id",
      summary: "The assets of a vehicle, newest first",
      params: vehicle,
      query: AssetPage,
      success: { status: 200, schema: z.array(AssetReply) },
      documents: notYours,
      handle: ({ caller, params, query }) => service.list(caller.id, params.vehicle_id, query),
    }),
    route({
      ...fromOwner,
      method: "get",
      path: "/assets/video/:vehicle_id",
      summary: "A vehicle's videos, newest first",
      params: vehicle,
      query: AssetPage,
      success: { status: 200, schema: z.array(AssetReply) },
      documents: { ...notYours, 404: "The vehicle has none." },
      handle: async ({ caller, params, query }) => {
        const videos = await service.list(caller.id, params.vehicle_id, query, "video");
        if (videos.length === 0) throw new DomainError("not_found", "This vehicle has no videos.");
        return videos;
      },
    }),
    route({
      method: "get",
      path: "/assets/:vehicle_id/video/:asset_id",
      tag,
      summary: "Play a video",
      description: "An HLS playlist (application/vnd.apple.mpegurl) whose segments are presigned URLs.",
      guard: "user",
      envelope: "raw",
      errorBodies: { unauthenticated: errorA, forbidden: errorA, not_found: errorA, internal: errorA },
      params: asset,
      success: { status: 200, schema: z.string(), mediaTypes: ["application/vnd.apple.mpegurl"] },
      documents: notYours,
      handle: async ({ caller, params, ctx }) => {
        ctx.body = await service.playlist(caller.id, params.vehicle_id, params.asset_id);
        ctx.set("Content-Type", "application/vnd.apple.mpegurl");
      },
    }),
    route({
      method: "get",
      path: "/assets/:vehicle_id/download/:asset_id",
      tag,
      summary: "Get a URL for the download of an asset",
      guard: "user",
      envelope: "A+top",
      params: asset,
      success: { status: 200, schema: DownloadReply },
      documents: notYours,
      handle: ({ caller, params }) => service.download(caller.id, params.vehicle_id, params.asset_id),
    }),
    route({
      ...fromOwner,
      method: "post",
      path: "/assets/:vehicle_id/delete",
      summary: "Delete assets of a vehicle",
      params: vehicle,
      body: DeleteRequest,
      success: { status: 200, schema: DeleteReply, message: "Deleted." },
      documents: notYours,
      handle: async ({ caller, params, body }) => ({
        deleted: await service.delete(caller.id, params.vehicle_id, body.ids),
      }),
    }),
  ];
}
