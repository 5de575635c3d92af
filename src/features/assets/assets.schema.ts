import { z } from "zod";
import { BodyId, pageQuery, Text } from "../../http/route";

const AssetType = z.enum(["video", "image", "logs"]);
export type AssetType = z.output<typeof AssetType>;

export const UploadRequest = z
  .object({
    file_name: Text.min(1).max(1_024),
    checksum: z
      .string()
      .regex(/^([0-9a-f]{64}|[0-9a-f]{32})$/i, "must be a SHA-256 or an MD5 in hex")
      .transform((text) => text.toLowerCase())
      .nullish()
      .describe("SHA-256 or MD5 of the content, in hex. Compared with the uploaded content."),
    asset_type: AssetType,
    mime_type: z
      .string()
      .regex(/^[\w.+-]+\/[\w.+-]+(;.*)?$/, "must be a media type such as image/jpeg")
      .max(200)
      .nullish(),
    execution_id: BodyId.nullish(),
    size: z
      .int()
      .min(1)
      .nullish()
      .describe("Bytes. The store then refuses content of another size, and a quota refuses it at once."),
  })
  .meta({ id: "UploadRequest" });
export type UploadRequest = z.output<typeof UploadRequest>;

export const CompleteUploadRequest = z.object({ asset_id: BodyId });

export const UploadReply = z.object({
  url: z.string().describe("Presigned: `curl -T FILE URL` uploads the content."),
  asset_id: z.int(),
});

export const UploadedReply = z.object({ asset_id: z.int(), user_id: z.int(), drone_id: z.int() });

export const AssetReply = z
  .object({
    id: z.int(),
    drone_id: z.int(),
    user_id: z.int().describe("The drone's owner when the asset was created."),
    execution_id: z.int().nullable(),
    asset_type: AssetType,
    recorded: z
      .boolean()
      .describe("A log that this service wrote of the drone's link; pending until the flight is over."),
    file_name: z.string().describe("As the drone named it."),
    mime_type: z.string().nullable(),
    checksum: z.string().nullable().describe("Announced by the drone: a SHA-256 or an MD5, in hex."),
    sha256: z.string().nullable().describe("Of the uploaded content, in hex."),
    size: z.int().nullable().describe("Bytes of the object; null until it has arrived."),
    /**
     * pending: it has a URL for the upload. ready: the content arrived and was checked. failed: no content arrived, or
     * not the announced one; a new URL makes it pending again, and another `complete_upload` may find it whole.
     */
    status: z.enum(["pending", "ready", "failed"]),
    failure: z.string().nullable().describe("Reason of a failed upload."),
    thumbnail_url: z.string().nullable().describe("Presigned, for images."),
    /** none → pending (a video that is ready) → ready, or failed when ffmpeg cannot read it. */
    stream: z
      .enum(["none", "pending", "ready", "failed"])
      .describe("Whether a video can be played; see its playlist route."),
    derivation_failure: z
      .string()
      .nullable()
      .describe("Why an image has no thumbnail or a video cannot be played. The file can be downloaded."),
    created_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({ id: "Asset" });

export const AssetCounts = z
  .object({
    vehicle_id: z.int(),
    name: z.string(),
    video: z.int(),
    image: z.int(),
    logs: z.int(),
    total: z.int(),
  })
  .meta({ id: "AssetCounts" });

/** In one reply: of the replies that one caller may have under way no process runs out of memory. */
export const MAX_LISTED = 5_000;

/** A page of a vehicle's assets, newest first. */
export const AssetPage = pageQuery(MAX_LISTED);

export const DownloadReply = z.object({
  download_url: z.string(),
  file_name: z.string(),
  asset_type: AssetType,
});

export const DeleteRequest = z.object({
  ids: z.array(BodyId).min(1).max(1_000),
});
export const DeleteReply = z.object({
  deleted: z.array(z.int()).describe("The ids that existed."),
});
