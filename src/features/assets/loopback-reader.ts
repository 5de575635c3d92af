import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream";
import { INTERNAL_LIMITS, limitedServer } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { ObjectStore } from "../../platform/objects/object-store";

type Objects = Pick<ObjectStore, "sizeOf" | "read">;

/**
 * Let a program that wants an address read an object, any part of it and as often as it likes, at one on loopback that is
 * good while `use` runs. An address of the store would be a secret, and a command line can be read by others on the
 * machine and is kept where commands are audited. Rejects with the store's error when it failed a read, whatever became of
 * `use`: a program may take that for the object's end.
 */
export async function readOnLoopback<T>(
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
 * What a Range header asks for (RFC 9110, 14.1.2): a part, or `none` where nothing is. `whole` without one, and for what
 * a server may take for none: several parts, another unit, or what is no range.
 */
function partOf(header: string | undefined, size: number): Range | "whole" | "none" {
  const [, first, last, suffix] = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/.exec(header ?? "") ?? [];
  if (suffix !== undefined)
    return Number(suffix) === 0 ? "none" : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  if (first === undefined || (last && Number(last) < Number(first))) return "whole";
  const [start, end] = [Number(first), Math.min(last ? Number(last) : size, size - 1)];
  return start <= end ? { start, end } : "none";
}

/** Resolves when all was sent, or the reader left. */
async function send(
  store: Objects,
  key: string,
  part: Range | "whole",
  response: ServerResponse,
  size: number,
): Promise<void> {
  const range = part === "whole" ? { start: 0, end: size - 1 } : part;
  const body = await store.read(key, range);
  // The reader left meanwhile: nothing will close any more.
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
