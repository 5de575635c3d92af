import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { LogPrefix } from "./flight-log";

const LIMIT_MS = 10_000;
const UPLOAD_LIMIT_MS = 600_000;

/** Unauthenticated (edge and gateway have different secrets), timeout. */
const TRANSIENT: ReadonlySet<number> = new Set([401, 408]);

/** A permanent refusal of the gateway. */
export class RequestRefused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface AnnouncedLog {
  readonly file_name: string;
  /** SHA-256 in hex. */
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/** A presigned URL, which works for a while. */
export interface Upload {
  readonly assetId: number;
  readonly url: string;
}

/** The gateway's routes for drones, which it recognises by their address. Rejects with `RequestRefused`, or a transient error. */
export class DroneGateway {
  constructor(
    private readonly origin: string,
    /** The edge of the tunnel replaces it by the peer's address. */
    private readonly droneIp: string,
  ) {}

  /** Starts an execution, or returns the one in progress. */
  async start(): Promise<number> {
    return ((await this.request("POST", "/executions/start", {})) as { data: { id: number } }).data.id;
  }

  async current(): Promise<number | undefined> {
    const { data } = (await this.request("GET", "/executions/current")) as { data: { id: number } | null };
    return data?.id;
  }

  async complete(executionId: number, status: "completed" | "error", notes?: string): Promise<void> {
    await this.request("POST", `/executions/${executionId}/complete`, {
      status,
      ...(notes ? { notes } : {}),
    });
  }

  /** Announces the log, and that it belongs to the execution, whose report then waits for it. */
  async announceLog(executionId: number, log: AnnouncedLog): Promise<Upload> {
    const upload = await this.uploadOf(executionId, log);
    await this.request("POST", `/executions/${executionId}/log`, { asset_id: upload.assetId });
    return upload;
  }

  /** A URL for the upload; while the log has not arrived, a new one for the same asset. */
  async uploadOf(executionId: number, log: AnnouncedLog): Promise<Upload> {
    const request = { ...log, asset_type: "logs", execution_id: executionId };
    const { asset_id, url } = (await this.request("POST", "/authenticate_upload", request)) as {
      asset_id: number;
      url: string;
    };
    return { assetId: asset_id, url };
  }

  /** The URL is for a content of this size. Of a shorter file nothing is sent, and the completion is refused. */
  async upload(url: string, { file, size }: LogPrefix): Promise<void> {
    if ((await stat(file)).size < size) return;
    const request = {
      method: "PUT",
      body: Readable.toWeb(createReadStream(file, { end: size - 1 })) as ReadableStream,
      duplex: "half",
      // Object stores require it.
      headers: { "Content-Length": String(size) },
      signal: AbortSignal.timeout(UPLOAD_LIMIT_MS),
    } as const;
    const response = await fetch(url, request);
    const text = await response.text();
    if (!response.ok) throw new Error(`The object store answered ${response.status}: ${text.slice(0, 200)}`);
  }

  async completeUpload(assetId: number): Promise<void> {
    await this.request("POST", "/complete_upload", { asset_id: assetId });
  }

  private async request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: { "X-Drone-IP": this.droneIp, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const message = `${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`;
    // A rate says when it ends. A quota that is full, of stored bytes for instance, does not end by itself.
    const isRate = response.status === 429 && response.headers.has("retry-after");
    const isTransient = response.status >= 500 || TRANSIENT.has(response.status) || isRate;
    throw isTransient ? new Error(message) : new RequestRefused(response.status, message);
  }
}
