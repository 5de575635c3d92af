import { setTimeout as delay } from "node:timers/promises";
import {
  CreateBucketCommand,
  HeadBucketCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";

/**
 * Make the buckets that are missing. Returns the names of those made; rejects when one cannot be seen or made. A store
 * that does not answer yet, which may be starting beside us, is waited for so long.
 */
export async function ensureBuckets(
  objects: S3Client,
  names: readonly string[],
  waitSeconds = 0,
): Promise<string[]> {
  const deadline = Date.now() + waitSeconds * 1000;
  const made: string[] = [];
  for (const name of names) {
    for (;;) {
      try {
        if (await ensureBucket(objects, name)) made.push(name);
        break;
      } catch (error) {
        if (hasAnswered(error) || Date.now() > deadline) throw error;
        await delay(500);
      }
    }
  }
  return made;
}

/** Whether it was missing. */
async function ensureBucket(objects: S3Client, Bucket: string): Promise<boolean> {
  const missing = await objects.send(new HeadBucketCommand({ Bucket })).then(
    () => false,
    (error: unknown) => {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return true;
      throw error;
    },
  );
  if (missing) await objects.send(new CreateBucketCommand({ Bucket }));
  return missing;
}

/** A store that starts refuses connections, then answers 503. */
const hasAnswered = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode !== 503;
