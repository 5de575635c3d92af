import { isForgotten, type JanusApi, JanusError, type JanusHandle } from "../../platform/janus";

/**
 * Requests about rooms. One session with one handle serves all rooms. Janus forgets it after a minute without a request,
 * or when it restarts; then another is opened.
 */
export class Janus {
  private handle: Promise<JanusHandle> | undefined;

  /** `adminKey` is the VideoRoom plugin's, when it has one; rooms are made with it. */
  constructor(
    private readonly api: JanusApi,
    private readonly adminKey: string | undefined,
  ) {}

  /**
   * A synchronous request of the plugin. Rejects with `JanusError`, or with fetch's error when Janus cannot
   * be reached or `signal` aborts.
   */
  async videoRoom(
    body: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
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
    await handle.then((open) => this.api.destroy(open, AbortSignal.timeout(500))).catch(() => undefined);
  }

  private async message(body: Record<string, unknown>, signal: AbortSignal) {
    this.handle ??= this.api.open(signal);
    const handle = this.handle;
    try {
      const admin = this.adminKey === undefined ? {} : { admin_key: this.adminKey };
      const { data } = await this.api.message(await handle, { ...body, ...admin }, signal);
      return data;
    } catch (error) {
      // Another caller may have opened a newer session.
      if (isLostSession(error) && this.handle === handle) this.handle = undefined;
      throw error;
    }
  }
}

/** Janus forgot the session, or the connection failed, such as a kept one to a Janus that restarted. */
const isLostSession = (error: unknown): boolean =>
  error instanceof JanusError
    ? isForgotten(error)
    : (error as Error).name === "TypeError" ||
      (error as Error).name === "AbortError" ||
      (error as Error).name === "TimeoutError";
