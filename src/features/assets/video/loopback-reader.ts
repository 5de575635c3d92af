import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream";
import { INTERNAL_LIMITS, limitedServer } from "../../../http/server/limited-server";
import { closeServer, listen } from "../../../http/server/listen";
import type { ObjectStore, ObjectVersion } from "../../../platform/objects/object-store";

type Objects = Pick<ObjectStore, "read">;

/**
 * Serves this version of an object at a URL on loopback while `use` runs, so that a program can read any range of it. A presigned URL of
 * the store would be a secret on the program's command line, which other users of the machine can read. Rejects with the
 * store's error when a read failed, whatever the result of `use`: a program may take the failure for the object's end.
 */
export async function serveOnLoopback<T>(
  store: Objects,
  key: string,
  version: ObjectVersion,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const { size } = version;
  const path = `/${randomUUID()}`;
  let fault: { readonly error: unknown } | undefined;
  const server = limitedServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    if (size === 0) return void response.writeHead(200, { "content-length": 0 }).end();
    // ffmpeg asks for nothing else: all bytes from an offset on.
    const [, offset] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
    if (Number(offset) >= size)
      return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    send(store, key, offset, response, version).catch((error: unknown) => {
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

/** Resolves when everything was sent or the client disconnected. */
async function send(
  store: Objects,
  key: string,
  offset: string | undefined,
  response: ServerResponse,
  version: ObjectVersion,
): Promise<void> {
  const start = Number(offset ?? 0);
  const { size } = version;
  const body = await store.read(key, version, start);
  // The client disconnected meanwhile, and there will be no `close` event.
  if (response.destroyed) return void body.on("error", () => {}).destroy();
  response.writeHead(offset === undefined ? 200 : 206, {
    "accept-ranges": "bytes",
    "content-length": size - start,
    ...(offset !== undefined && { "content-range": `bytes ${start}-${size - 1}/${size}` }),
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
