import { createPublicKey } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { verifyArchive } from "../../features/executions";
import { eventually } from "../../platform/eventually";
import type { ApiClient } from "../api-client";

interface Asset {
  readonly id: number;
  readonly file_name: string;
  readonly thumbnail_url: string | null;
}

/** The thumbnail of a picture. */
export async function thumbnailOf(api: ApiClient, droneId: number, assetId: number): Promise<string> {
  return eventually("The picture's thumbnail", async () => {
    const { data } = await api.get<{ data: readonly Asset[] }>(`/assets/${droneId}`);
    return data.find(({ id }) => id === assetId)?.thumbnail_url;
  });
}

/** Waits for the flight's report, and returns its recipients. */
export async function reportRecipients(api: ApiClient, executionId: number): Promise<readonly string[]> {
  await eventually("The flight's report", async () => {
    const { data } = await api.get<{ data: { report: string } }>(`/executions/${executionId}`);
    return data.report === "sent";
  });
  const { data } = await api.get<{ data: { all_recipients: readonly string[] } }>("/user/report-emails");
  return data.all_recipients;
}

/** Have the flight's archive made, download it to `file`, and check it by the gateway's public key. */
export async function verifiedArchive(api: ApiClient, executionId: number, file: string): Promise<string> {
  const url = await eventually("The flight's archive", async () => {
    const { data } = await api.get<{ data: { url: string | null } }>(`/executions/${executionId}/archive`);
    return data.url;
  });
  const { body, status } = await fetch(url);
  if (status !== 200 || !body) throw new Error(`The store answered ${status} to the archive's URL.`);
  await mkdir(dirname(file), { recursive: true });
  await pipeline(Readable.fromWeb(body as never), createWriteStream(file));
  const { data } = await api.get<{ data: { public_key: string; fingerprint: string } }>(
    "/executions/archive-key",
  );
  const { faults, manifest } = await verifyArchive(file, createPublicKey(data.public_key));
  if (!manifest || faults.length > 0) throw new Error(`The archive is not whole: ${faults.join(" ")}`);
  return `${manifest.files.length} files, signed by ${data.fingerprint.slice(0, 16)}…, in ${file}`;
}
