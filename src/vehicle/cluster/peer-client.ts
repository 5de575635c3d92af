import { Agent, type IncomingMessage, request } from "node:http";
import { z } from "zod";
import { DomainError, type ErrorCode } from "../../domain/errors";
import { AnswerLost, type Message, NotHolder, NotSent } from "./messages";

const CONNECT_MS = 1_000;

const Answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

export interface Question {
  /** Ends the wait; the answer counts as lost. */
  readonly signal?: AbortSignal;
  /**
   * Whether it may be sent on a connection that is open already. The holder may close such a connection at the
   * very moment at which we send, and then nobody knows whether it was heard: good enough for what may be asked
   * twice, and for nothing else.
   */
  readonly repeatable: boolean;
}

/** Asks other replicas over HTTP. */
export class PeerClient {
  private readonly kept = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: 30_000 });

  constructor(private readonly secret: string) {}

  /**
   * The holder's answer. Rejects with the `DomainError` that the link gave there, or with `NotHolder`,
   * `NotSent` or `AnswerLost`.
   */
  async ask(url: string, message: Message, { signal, repeatable }: Question): Promise<unknown> {
    const { status, text } = await this.send(url, JSON.stringify(message), repeatable, signal);
    if (status === 409) throw new NotHolder();
    // Nobody of the caller's was refused: one of us has another secret, as while it is changed.
    if (status === 401) throw new NotSent("The other replica does not know our secret.");
    const answer = Answer.safeParse(parseJson(text));
    if (!answer.success) throw new AnswerLost(`The answer (${status}) cannot be read.`);
    const { result, error } = answer.data;
    if (error) throw new DomainError(error.code as ErrorCode, error.message);
    return result;
  }

  close(): void {
    this.kept.destroy();
  }

  private send(
    url: string,
    body: string,
    repeatable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      let connected = false;
      const asking = request(url, {
        method: "POST",
        agent: repeatable ? this.kept : false,
        headers: {
          authorization: `Bearer ${this.secret}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      });
      const fail = (error: Error) => {
        clearTimeout(late);
        signal?.removeEventListener("abort", abort);
        asking.destroy();
        reject(connected ? new AnswerLost(error.message) : new NotSent(error.message));
      };
      const late = setTimeout(() => fail(new Error("The replica does not answer.")), CONNECT_MS);
      const abort = () => fail(new Error("The wait was ended."));
      const connectedNow = () => {
        connected = true;
        clearTimeout(late);
        asking.end(body);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      // Nothing is sent before the connection stands, so a failure until then is surely one of nothing.
      asking.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", connectedNow);
        else connectedNow();
      });
      asking.on("error", fail);
      asking.on("response", (response) => {
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

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
