import { Agent, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";
import { DomainError, type ErrorCode, isDomainError } from "../../domain/errors";
import { parseJson } from "../../platform/parse-json";
import { NotHolder, type ReplicaRequest, ReplyLost, RequestNotSent } from "./messages";

const CONNECT_MS = 1_000;

const Reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

interface ReplicaRequestOptions {
  /** Ends the wait; the reply counts as lost. */
  readonly signal?: AbortSignal;
  /**
   * Whether it may be sent on a kept-alive connection. The holder may close such a connection while we send, and then
   * it is unknown whether the request was carried out: good enough for requests that may be repeated only.
   */
  readonly repeatable: boolean;
}

/**
 * How a request to another replica ended.
 * answered: it was carried out. refused: the link or the vehicle refused. not_holder and not_sent: nothing was done, and
 * the next holder is asked. lost: unknown.
 */
export type ReplicaRequestOutcome = "answered" | "refused" | "not_holder" | "not_sent" | "lost";

export type ReplicaRequestObserver = (
  request: ReplicaRequest["ask"],
  outcome: ReplicaRequestOutcome,
  milliseconds: number,
) => void;

/** Sends requests to other replicas over HTTP. */
export class ReplicaClient {
  private readonly keepAlive = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: 30_000 });

  constructor(
    private readonly secret: string,
    private readonly observe: ReplicaRequestObserver = () => {},
  ) {}

  /**
   * The holder's reply. Rejects with the `DomainError` that the link gave there, or with `NotHolder`,
   * `RequestNotSent` or `ReplyLost`.
   */
  async send(
    url: string,
    request: ReplicaRequest,
    { signal, repeatable }: ReplicaRequestOptions,
  ): Promise<unknown> {
    const sentAt = performance.now();
    const observe = (outcome: ReplicaRequestOutcome) =>
      this.observe(request.ask, outcome, performance.now() - sentAt);
    try {
      const result = readReply(await this.post(url, JSON.stringify(request), repeatable, signal));
      observe("answered");
      return result;
    } catch (error) {
      observe(outcomeOf(error));
      throw error;
    }
  }

  close(): void {
    this.keepAlive.destroy();
  }

  private post(
    url: string,
    body: string,
    repeatable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      let connected = false;
      const outgoing = request(url, {
        method: "POST",
        agent: repeatable ? this.keepAlive : false,
        headers: {
          authorization: `Bearer ${this.secret}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      });
      const fail = (error: Error) => {
        clearTimeout(connectTimeout);
        signal?.removeEventListener("abort", abort);
        outgoing.destroy();
        reject(connected ? new ReplyLost(error.message) : new RequestNotSent(error.message));
      };
      const connectTimeout = setTimeout(() => fail(new Error("The replica does not answer.")), CONNECT_MS);
      const abort = () => fail(new Error("The wait was ended."));
      const sendBody = () => {
        connected = true;
        clearTimeout(connectTimeout);
        outgoing.end(body);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      // Nothing is sent before the connection stands, so a failure until then is surely one of nothing.
      outgoing.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", sendBody);
        else sendBody();
      });
      outgoing.on("error", fail);
      outgoing.on("response", (response) => {
        readText(response)
          .then((text) => {
            signal?.removeEventListener("abort", abort);
            resolve({ status: response.statusCode ?? 0, text });
          })
          .catch(fail);
      });
      return undefined;
    });
  }
}

interface HttpReply {
  readonly status: number;
  readonly text: string;
}

function readReply({ status, text }: HttpReply): unknown {
  if (status === 409) throw new NotHolder();
  // Not the caller's token: the replicas have different secrets, as while the secret is changed.
  if (status === 401) throw new RequestNotSent("The other replica does not know our secret.");
  const reply = Reply.safeParse(parseJson(text));
  if (!reply.success) throw new ReplyLost(`The reply (${status}) cannot be read.`);
  const { result, error } = reply.data;
  if (error) throw new DomainError(error.code as ErrorCode, error.message);
  return result;
}

function outcomeOf(error: unknown): ReplicaRequestOutcome {
  if (error instanceof NotHolder) return "not_holder";
  if (error instanceof RequestNotSent) return "not_sent";
  return isDomainError(error) ? "refused" : "lost";
}
