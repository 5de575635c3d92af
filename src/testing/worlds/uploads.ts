import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { ApiClient } from "../client";

/** The replies to an upload's steps. */
export interface Upload {
  readonly asset_id: number;
  readonly url: string;
  readonly completed: { readonly status: number; readonly body: unknown };
}

export const sha256 = (content: Buffer | string): string =>
  createHash("sha256").update(content).digest("hex");

/** A drone's API client, identified by its address. */
export const droneClient = (api: ApiClient, ip: string): ApiClient =>
  api.as(undefined).with({ "x-drone-ip": ip });

/**
 * PUT as curl does it: the content and nothing else, over a connection of its own. One that was kept may be closed by the
 * store just then.
 */
export async function put(url: string, content: Buffer | string): Promise<number> {
  const body = Buffer.from(content);
  const sent = request(url, { method: "PUT", agent: false, headers: { "content-length": body.length } });
  // The store may refuse what it has not read to its end.
  sent.on("error", () => undefined).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  return response.statusCode as number;
}

/** Requests a URL, puts the content there, and completes the upload. */
export async function upload(
  drone: ApiClient,
  uploadRequest: { file_name: string; asset_type: string; execution_id?: number; checksum?: string | null },
  content: Buffer | string,
): Promise<Upload> {
  const begun = await drone.post("/authenticate_upload", { checksum: sha256(content), ...uploadRequest });
  if (begun.status !== 200) throw new Error(`No upload was begun: ${JSON.stringify(begun.body)}`);
  const { asset_id, url } = begun.body;
  const status = await put(url, content);
  if (status !== 200) throw new Error(`The store answered ${status}.`);
  return { asset_id, url, completed: await drone.post("/complete_upload", { asset_id }) };
}
