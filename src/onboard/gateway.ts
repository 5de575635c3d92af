import { openAsBlob } from "node:fs";

const LIMIT_MS = 10_000;
const UPLOAD_LIMIT_MS = 600_000;

/** Not known as a drone (a key that differs between edge and gateway), too slow, too often. */
const PASSING: ReadonlySet<number> = new Set([401, 408, 429]);

/** The gateway said no, and saying it again would change nothing. */
export class Refused extends Error {
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
}

/** A presigned URL, which works for a while. */
export interface Upload {
  readonly assetId: number;
  readonly url: string;
}

/** What the gateway offers to a drone, told by its address. Rejects with `Refused`, or what may pass. */
export class DroneGateway {
  constructor(
    private readonly origin: string,
    /** The edge of the tunnel writes the true one in its place. */
    private readonly droneIp: string,
  ) {}

  /** The execution in progress, if there is one; it is not begun twice. */
  async start(): Promise<number> {
    return ((await this.post("/executions/start", {})) as { data: { id: number } }).data.id;
  }

  async current(): Promise<number | undefined> {
    const { data } = (await this.ask("GET", "/executions/current")) as { data: { id: number } | null };
    return data?.id;
  }

  async complete(executionId: number, status: "completed" | "error", notes?: string): Promise<void> {
    await this.post(`/executions/${executionId}/complete`, { status, ...(notes ? { notes } : {}) });
  }

  /** Announces the log, and that it belongs to the execution, whose report then waits for it. */
  async announceLog(executionId: number, log: AnnouncedLog): Promise<Upload> {
    const upload = await this.uploadOf(executionId, log);
    await this.post(`/executions/${executionId}/log`, { asset_id: upload.assetId });
    return upload;
  }

  /** A URL for the upload; while the log has not arrived, a new one for the same asset. */
  async uploadOf(executionId: number, log: AnnouncedLog): Promise<Upload> {
    const wish = { ...log, asset_type: "logs", execution_id: executionId };
    const { asset_id, url } = (await this.post("/authenticate_upload", wish)) as {
      asset_id: number;
      url: string;
    };
    return { assetId: asset_id, url };
  }

  async upload(url: string, file: string): Promise<void> {
    // A blob has a length, which a store asks for.
    const body = await openAsBlob(file);
    const response = await fetch(url, { method: "PUT", body, signal: AbortSignal.timeout(UPLOAD_LIMIT_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(`The object store answered ${response.status}: ${text.slice(0, 200)}`);
  }

  async uploaded(assetId: number): Promise<void> {
    await this.post("/complete_upload", { asset_id: assetId });
  }

  private post(path: string, body: object): Promise<unknown> {
    return this.ask("POST", path, body);
  }

  private async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: { "X-Drone-IP": this.droneIp, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const words = `${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`;
    const passes = response.status >= 500 || PASSING.has(response.status);
    throw passes ? new Error(words) : new Refused(response.status, words);
  }
}
