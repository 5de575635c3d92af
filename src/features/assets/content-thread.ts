import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { type BucketSettings, ObjectReplaced, ObjectStore } from "../../platform/objects/object-store";
import { lowerThreadPriority } from "../../platform/process/priority";
import { type Content, kindOf } from "./content-check";
import type { ContentReply, ContentRequest } from "./content-reader";

lowerThreadPriority();
/** The thread that `ContentReader` starts. It reads each object once, without keeping it. */
const store = new ObjectStore(workerData as BucketSettings);

async function read({ key, version }: ContentRequest): Promise<Content> {
  const [sha256, md5] = [createHash("sha256"), createHash("md5")];
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of (await store.read(key, version)) as AsyncIterable<Buffer>) {
    if (head.length < 64) head = Buffer.concat([head, chunk.subarray(0, 64)]);
    sha256.update(chunk);
    md5.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: sha256.digest("hex"), md5: md5.digest("hex"), kind: kindOf(head) ?? null };
}

parentPort?.on("message", async (request: ContentRequest) => {
  const reply: ContentReply = await read(request).then(
    (content) => ({ content }),
    (error: Error) => ({ error: error.message, isReplaced: error instanceof ObjectReplaced }),
  );
  request.port.postMessage(reply);
});
