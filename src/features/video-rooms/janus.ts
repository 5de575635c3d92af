import { randomUUID } from "node:crypto";
import { z } from "zod";

interface JanusOptions {
  /** Base of Janus's HTTP API, such as `http://janus:8088/janus`. */
  readonly url: string;
  /** Janus's `api_secret`, when it has one. */
  readonly apiSecret: string | undefined;
  /** The VideoRoom plugin's `admin_key`, when it has one; rooms are made with it. */
  readonly adminKey: string | undefined;
}

/** A refusal by Janus or its VideoRoom plugin. Codes: `janus/src/apierror.h` and `plugins/janus_videoroom.c`. */
export class JanusError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super(`Janus refuses (${code}): ${reason}`);
  }
}

export const NO_SUCH_ROOM = 426;
export const ROOM_EXISTS = 427;
export const WRONG_SECRET = 433;
const NO_SUCH_SESSION = 458;
const NO_SUCH_HANDLE = 459;

/** A reply of Janus; ids are below 2^53. */
const Answer = z.object({
  janus: z.string(),
  data: z.object({ id: z.int() }).optional(),
  plugindata: z
    .object({ data: z.looseObject({ error_code: z.int().optional(), error: z.string().optional() }) })
    .optional(),
  error: z.object({ code: z.int(), reason: z.string() }).optional(),
});

/**
 * Janus's VideoRoom plugin over HTTP. One session with one handle serves all rooms. Janus forgets it after a minute
 * without a request, or when it restarts; then another is opened.
 */
export class Janus {
  /** Path of the session's handle. */
  private handle: Promise<string> | undefined;

  constructor(private readonly options: JanusOptions) {}

  /**
   * A synchronous request of the plugin. Rejects with `JanusError`, or with fetch's error when Janus cannot
   * be reached or `signal` aborts.
   */
  async videoRoom(body: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown>> {
    const isFirst = this.handle === undefined;
    try {
      return await this.message(body, signal);
    } catch (error) {
      if (isFirst || signal.aborted || !isLostSession(error)) throw error;
      return await this.message(body, signal);
    }
  }

  /** Destroys the session; an unreachable Janus forgets it by itself. */
  async close(): Promise<void> {
    const handle = this.handle;
    this.handle = undefined;
    if (!handle) return;
    await handle
      .then((path) =>
        this.post(path.split("/").slice(0, 2).join("/"), { janus: "destroy" }, AbortSignal.timeout(500)),
      )
      .catch(() => undefined);
  }

  private async message(body: Record<string, unknown>, signal: AbortSignal) {
    this.handle ??= this.open(signal);
    const handle = this.handle;
    try {
      const admin = this.options.adminKey === undefined ? {} : { admin_key: this.options.adminKey };
      const { plugindata } = await this.post(
        await handle,
        { janus: "message", body: { ...body, ...admin } },
        signal,
      );
      const data = plugindata?.data ?? {};
      if (data.error_code !== undefined) throw new JanusError(data.error_code, data.error ?? "no reason");
      return data;
    } catch (error) {
      // Another caller may have opened a newer session.
      if (isLostSession(error) && this.handle === handle) this.handle = undefined;
      throw error;
    }
  }

  private async open(signal: AbortSignal): Promise<string> {
    const session = await this.post("", { janus: "create" }, signal);
    const path = `/${session.data?.id}`;
    const handle = await this.post(path, { janus: "attach", plugin: "janus.plugin.videoroom" }, signal);
    return `${path}/${handle.data?.id}`;
  }

  private async post(path: string, request: Record<string, unknown>, signal: AbortSignal) {
    const { url, apiSecret } = this.options;
    const response = await fetch(`${url.replace(/\/$/, "")}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      redirect: "error",
      signal,
      body: JSON.stringify({
        ...request,
        transaction: randomUUID(),
        ...(apiSecret === undefined ? {} : { apisecret: apiSecret }),
      }),
    });
    const answer = Answer.parse(await response.json());
    if (answer.error) throw new JanusError(answer.error.code, answer.error.reason);
    return answer;
  }
}

/** Janus forgot the session, or the connection failed, such as a kept one to a Janus that restarted. */
const isLostSession = (error: unknown): boolean =>
  error instanceof JanusError
    ? error.code === NO_SUCH_SESSION || error.code === NO_SUCH_HANDLE
    : (error as Error).name === "TypeError" ||
      (error as Error).name === "AbortError" ||
      (error as Error).name === "TimeoutError";
