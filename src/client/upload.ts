import { ApiError } from "./api-error";
import type { components } from "./api-types";
import { type FleetClient, reply } from "./client";

type Request = components["schemas"]["UploadRequest"];

const CHUNK_BYTES = 65_536;

export interface UploadOptions {
  /** Called with the bytes that were handed to the network, of all. */
  readonly onProgress?: (sent: number, of: number) => void;
  /** Ends the upload. What was stored of it is deleted by the gateway. */
  readonly signal?: AbortSignal;
}

/**
 * Uploads a file of an execution as its drone, in three steps: a URL, the content, the end. Returns the asset's id.
 * Rejects with an `ApiError`: 409 for a content that the drone has uploaded before; and as `fetch` when it is aborted.
 */
export async function upload(
  { api }: FleetClient,
  content: Blob,
  file: Omit<Request, "checksum" | "size">,
  { onProgress, signal }: UploadOptions = {},
): Promise<number> {
  const body = { ...file, checksum: await sha256(content), size: content.size };
  const { asset_id, url } = await reply(api.POST("/authenticate_upload", { body, signal: signal ?? null }));
  let sent = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await content.slice(sent, sent + CHUNK_BYTES).arrayBuffer();
      sent += chunk.byteLength;
      if (chunk.byteLength > 0) controller.enqueue(new Uint8Array(chunk));
      onProgress?.(sent, content.size);
      if (sent === content.size) controller.close();
    },
  });
  // An object store takes no body of unknown length.
  const headers = { "Content-Length": `${content.size}` };
  const stored = await fetch(url, {
    ...{ method: "PUT", body: counted, duplex: "half", headers },
    ...(signal ? { signal } : {}),
  });
  if (!stored.ok) throw new ApiError(stored.status, stored.status, "The object store refused the content.");
  await reply(api.POST("/complete_upload", { body: { asset_id }, signal: signal ?? null }));
  return asset_id;
}

/** In hex. */
async function sha256(content: Blob): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await content.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
