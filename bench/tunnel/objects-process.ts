import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answer } from "../relay/child";

/**
 * A fake object store: it keeps its objects in memory and speaks as much of S3 as the tunnel service uses. The
 * embedded one takes milliseconds for each of the ten thousand objects and would dominate the figures.
 */
const objects = new Map<string, string>();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://store");
  const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
  const reply = (status: number, body = "") => response.writeHead(status).end(body);
  const fault = (status: number, code: string) => reply(status, `<Error><Code>${code}</Code></Error>`);
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method === "DELETE") {
      objects.delete(key);
      return reply(204);
    }
    if (request.method === "PUT") {
      if (request.headers["if-none-match"] && objects.has(key)) return fault(412, "PreconditionFailed");
      objects.set(key, Buffer.concat(chunks).toString());
      return reply(200);
    }
    if (searchParams.has("list-type")) return reply(200, list(searchParams.get("prefix") ?? ""));
    const text = objects.get(key);
    return text === undefined ? fault(404, "NoSuchKey") : reply(200, text);
  });
});

const list = (prefix: string): string =>
  `<ListBucketResult><IsTruncated>false</IsTruncated>${[...objects]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, text]) => `<Contents><Key>${key}</Key><Size>${Buffer.byteLength(text)}</Size></Contents>`)
    .join("")}</ListBucketResult>`;

const listening = new Promise<number>((resolve) =>
  server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
);

answer({
  url: async () => `http://127.0.0.1:${await listening}`,
  /** In place of all that is there. */
  fill: (entries: readonly [string, string][]) => {
    objects.clear();
    for (const [key, text] of entries) objects.set(key, text);
  },
  forget: (key: string) => objects.delete(key),
});
