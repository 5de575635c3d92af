import { randomUUID } from "node:crypto";
import { z } from "zod";

interface JanusApiOptions {
  /** Base of Janus's HTTP API, such as `http://janus:8088/janus`. */
  readonly url: string;
  /** Janus's `api_secret`, when it has one. */
  readonly apiSecret: string | undefined;
}

/** A session with one handle of the VideoRoom plugin. Janus forgets it after a minute without a request, or when it restarts. */
export interface JanusHandle {
  readonly session: number;
  readonly handle: number;
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
export const NO_SUCH_FEED = 428;
export const WRONG_SECRET = 433;
const NO_SUCH_SESSION = 458;
const NO_SUCH_HANDLE = 459;

/** Whether Janus has forgotten the session. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof JanusError && (error.code === NO_SUCH_SESSION || error.code === NO_SUCH_HANDLE);

/** A reply or an event of Janus; ids are below 2^53. */
const Answer = z.object({
  janus: z.string(),
  transaction: z.string().optional(),
  data: z.object({ id: z.int() }).optional(),
  plugindata: z
    .object({ data: z.looseObject({ error_code: z.int().optional(), error: z.string().optional() }) })
    .optional(),
  jsep: z.object({ type: z.enum(["offer", "answer"]), sdp: z.string() }).optional(),
  error: z.object({ code: z.int(), reason: z.string() }).optional(),
});
type Answer = z.output<typeof Answer>;

export interface SessionDescription {
  readonly type: "offer" | "answer";
  readonly sdp: string;
}

interface PluginReply {
  readonly data: Readonly<Record<string, unknown>>;
  /** The plugin's, where it makes one. */
  readonly jsep: SessionDescription | undefined;
}

/**
 * Janus's HTTP API, as far as the VideoRoom plugin needs it. A call rejects with `JanusError`, or with fetch's error when
 * Janus cannot be reached or the signal aborts.
 */
export class JanusApi {
  constructor(private readonly options: JanusApiOptions) {}

  async open(signal: AbortSignal): Promise<JanusHandle> {
    const session = idOf(await this.post("", { janus: "create" }, signal));
    const attach = { janus: "attach", plugin: "janus.plugin.videoroom" };
    return { session, handle: idOf(await this.post(`/${session}`, attach, signal)) };
  }

  /** A request of the plugin, with a session description where it needs one. An answer that comes as an event is waited for. */
  async message(
    { session, handle }: JanusHandle,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    jsep?: SessionDescription,
  ): Promise<PluginReply> {
    const transaction = randomUUID();
    const request = { janus: "message", transaction, body, ...(jsep && { jsep }) };
    const reply = await this.post(`/${session}/${handle}`, request, signal);
    const answer = reply.janus === "ack" ? await this.eventOf(session, transaction, signal) : reply;
    const data = answer.plugindata?.data ?? {};
    if (data.error_code !== undefined) throw new JanusError(data.error_code, data.error ?? "no reason");
    return { data, jsep: answer.jsep };
  }

  async keepAlive({ session }: JanusHandle, signal: AbortSignal): Promise<void> {
    await this.post(`/${session}`, { janus: "keepalive" }, signal);
  }

  /** Ends what the session has, such as a viewer's connection. */
  async destroy({ session }: JanusHandle, signal: AbortSignal): Promise<void> {
    await this.post(`/${session}`, { janus: "destroy" }, signal);
  }

  /** Resolves when there is one, or after 30 s with one of the kind `keepalive`. Keeps the session alive. */
  nextEvent({ session }: Pick<JanusHandle, "session">, signal: AbortSignal): Promise<Answer> {
    const { apiSecret } = this.options;
    const query = new URLSearchParams({ maxev: "1" });
    // Janus takes the secret of a GET from nowhere else.
    if (apiSecret !== undefined) query.set("apisecret", apiSecret);
    return this.exchange(`/${session}?${query}`, { signal });
  }

  /** Events of other requests are dropped: nobody waits for them. */
  private async eventOf(session: number, transaction: string, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      const event = await this.nextEvent({ session }, signal);
      if (event.transaction === transaction) return event;
    }
  }

  private post(path: string, request: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const { apiSecret } = this.options;
    return this.exchange(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      signal,
      body: JSON.stringify({
        transaction: randomUUID(),
        ...request,
        ...(apiSecret === undefined ? {} : { apisecret: apiSecret }),
      }),
    });
  }

  private async exchange(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.options.url.replace(/\/$/, "")}${path}`, {
      ...init,
      redirect: "error",
    });
    const answer = Answer.parse(await response.json());
    if (answer.error) throw new JanusError(answer.error.code, answer.error.reason);
    return answer;
  }
}

const idOf = ({ data }: Answer): number => z.int().parse(data?.id);
