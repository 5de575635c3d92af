import {
  CreateBucketCommand,
  HeadBucketCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { retry } from "../retry";

/**
 * Make the buckets that are missing. Returns the names of those made; rejects when one cannot be seen or made. Waits
 * up to `waitSeconds` for each while the store is starting.
 */
export async function ensureBuckets(
  objects: S3Client,
  names: readonly string[],
  waitSeconds = 0,
): Promise<string[]> {
  const limitMs = waitSeconds * 1_000;
  const made: string[] = [];
  for (const name of names) {
    const isNew = await retry(() => ensureBucket(objects, name), { firstMs: 500, limitMs, isTransient });
    if (isNew) made.push(name);
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
const isTransient = (error: unknown): boolean =>
  !(error instanceof S3ServiceException) || error.$metadata.httpStatusCode === 503;
