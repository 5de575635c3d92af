import type { IncomingMessage } from "node:http";
import { createServer, request } from "node:https";
import { isDeepStrictEqual } from "node:util";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import { closeServer, listen } from "../../http/server/listen";
import { atEndOfFile } from "../clean-up";
import { testAuthority } from "../worlds/authority";

interface Question {
  readonly method: string;
  readonly path: string;
  /** Whether it carried the token that the server knows. */
  readonly known: boolean;
  readonly type?: string;
  readonly body?: unknown;
}
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}
export interface Exchange {
  readonly question: Question;
  readonly reply: Reply;
}

const TOKEN = "a bearer token that this server knows";

/**
 * A Kubernetes API server over HTTPS with its own CA and token. `answer` gives its replies: from a recording, or
 * from a real server.
 */
export class RecordedKubernetes {
  readonly exchanges: Exchange[] = [];
  private next: Reply | undefined;

  private constructor(
    private readonly server: string,
    private readonly ca: string,
  ) {}

  static async answering(
    answer: (question: Question, at: number) => Promise<Reply>,
  ): Promise<RecordedKubernetes> {
    const { ca, key, cert } = testAuthority();
    const https = createServer({ key, cert }, async (incoming, response) => {
      const question = await questionOf(incoming);
      const reply = kubernetes.next ?? (await answer(question, kubernetes.exchanges.length));
      kubernetes.next = undefined;
      kubernetes.exchanges.push({ question, reply });
      response
        .writeHead(reply.status, { "content-type": "application/json" })
        .end(JSON.stringify(reply.body));
    });
    const url = await listen(https, 0, "127.0.0.1");
    const kubernetes = new RecordedKubernetes(url.replace(/^http:/, "https:"), ca);
    atEndOfFile(() => {
      https.closeAllConnections();
      return closeServer(https);
    });
    return kubernetes;
  }

  /** Replays exchanges in order. A request that differs from the recorded one is answered with 500. */
  static replaying(exchanges: readonly Exchange[]): Promise<RecordedKubernetes> {
    return RecordedKubernetes.answering(async (question, at) => {
      const recorded = exchanges[at];
      if (recorded && isDeepStrictEqual(recorded.question, question)) return recorded.reply;
      const message = `${JSON.stringify(question)} was asked, not ${JSON.stringify(recorded?.question)}.`;
      return {
        status: 500,
        body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code: 500 },
      };
    });
  }

  /** Forwards requests to a real server with `token`, and records the exchanges. */
  static recording(cluster: Cluster, ca: Buffer, token: string): Promise<RecordedKubernetes> {
    return RecordedKubernetes.answering(
      (question) =>
        new Promise((resolve, reject) => {
          const authorization = `Bearer ${question.known ? token : "nobody's"}`;
          const headers = { authorization, ...(question.type ? { "content-type": question.type } : {}) };
          const { method, path } = question;
          const asking = request(new URL(path, cluster.server), { method, ca, headers }, async (incoming) => {
            const body = await textOf(incoming);
            resolve({ status: incoming.statusCode ?? 0, body: withoutManagers(JSON.parse(body)) });
          });
          asking.once("error", reject);
          asking.end(question.body === undefined ? undefined : JSON.stringify(question.body));
        }),
    );
  }

  /** The next question gets this reply, whatever it is. */
  answerNext(reply: Reply): void {
    this.next = reply;
  }

  /** What a kubeconfig of this server says, with the token that it knows unless another is given. */
  config(user: Omit<User, "name"> = { token: TOKEN }, ca = this.ca): KubeConfig {
    const config = new KubeConfig();
    const caData = Buffer.from(ca).toString("base64");
    config.loadFromClusterAndUser(
      { name: "test", server: this.server, caData, skipTLSVerify: false },
      { name: "gateway", ...user },
    );
    return config;
  }
}

async function questionOf(incoming: IncomingMessage): Promise<Question> {
  const text = await textOf(incoming);
  const { method = "", url: path = "", headers } = incoming;
  return {
    ...{ method, path, known: headers.authorization === `Bearer ${TOKEN}` },
    ...(text ? { type: headers["content-type"] ?? "", body: JSON.parse(text) } : {}),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Removes `managedFields`, which are half of an object and never read. */
function withoutManagers<T>(body: T): T {
  const { metadata } = body as { metadata?: { managedFields?: unknown } };
  if (metadata) delete metadata.managedFields;
  return body;
}
