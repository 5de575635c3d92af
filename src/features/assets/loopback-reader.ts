import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream";
import { INTERNAL_LIMITS, limitedServer } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { ObjectStore } from "../../platform/objects/object-store";

type Objects = Pick<ObjectStore, "sizeOf" | "read">;

/**
 * Serves an object at a URL on loopback while `use` runs, so that a program can read any range of it. A presigned URL of
 * the store would be a secret on the program's command line, which other users of the machine can read. Rejects with the
 * store's error when a read failed, whatever the result of `use`: a program may take the failure for the object's end.
 */
export async function serveOnLoopback<T>(
  store: Objects,
  key: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const size = await store.sizeOf(key);
  if (size === undefined) throw new Error(`The store has no ${key}.`);
  const path = `/${randomUUID()}`;
  let fault: { readonly error: unknown } | undefined;
  const server = limitedServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    if (size === 0) return void response.writeHead(200, { "content-length": 0 }).end();
    const part = partOf(request.headers.range, size);
    if (part === "none") return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    send(store, key, part, response, size).catch((error: unknown) => {
      fault ??= { error };
      response.destroy();
    });
  }, INTERNAL_LIMITS);
  const url = await listen(server, 0, "127.0.0.1");
  try {
    const result = await use(url + path).finally(() => server.closeAllConnections());
    if (!fault) return result;
  } catch (error) {
    if (!fault) throw error;
  } finally {
    await closeServer(server);
  }
  throw new Error("The store failed while an object was read.", { cause: fault.error });
}

interface Range {
  readonly start: number;
  /** Included. */
  readonly end: number;
}

/**
 * The range of a Range header (RFC 9110, 14.1.2), or `none` when it is outside the object. `whole` without a header, and
 * for headers that a server may ignore: several ranges, another unit, or an invalid range.
 */
function partOf(header: string | undefined, size: number): Range | "whole" | "none" {
  const [, first, last, suffix] = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/.exec(header ?? "") ?? [];
  if (suffix !== undefined)
    return Number(suffix) === 0 ? "none" : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  if (first === undefined || (last && Number(last) < Number(first))) return "whole";
  const [start, end] = [Number(first), Math.min(last ? Number(last) : size, size - 1)];
  return start <= end ? { start, end } : "none";
}

/** Resolves when everything was sent or the client disconnected. */
async function send(
  store: Objects,
  key: string,
  part: Range | "whole",
  response: ServerResponse,
  size: number,
): Promise<void> {
  const range = part === "whole" ? { start: 0, end: size - 1 } : part;
  const body = await store.read(key, range);
  // The client disconnected meanwhile, and there will be no `close` event.
  if (response.destroyed) return void body.on("error", () => {}).destroy();
  response.writeHead(part === "whole" ? 200 : 206, {
    "accept-ranges": "bytes",
    "content-length": range.end - range.start + 1,
    ...(part !== "whole" && { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
  });
  await new Promise<void>((resolve, reject) => {
    response.on("close", () => {
      resolve();
      body.destroy();
    });
    finished(body, (error) => error && reject(error));
    body.pipe(response);
  });
}
