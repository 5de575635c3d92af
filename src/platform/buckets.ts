import { CreateBucketCommand, HeadBucketCommand, type S3Client } from "@aws-sdk/client-s3";

/** Make the buckets that are missing. Returns the names of those made; rejects when one cannot be seen or made. */
export async function ensureBuckets(objects: S3Client, names: readonly string[]): Promise<string[]> {
  const made: string[] = [];
  for (const Bucket of names) {
    const missing = await objects.send(new HeadBucketCommand({ Bucket })).then(
      () => false,
      (error: { $metadata?: { httpStatusCode?: number } }) => {
        if (error.$metadata?.httpStatusCode === 404) return true;
        throw error;
      },
    );
    if (!missing) continue;
    await objects.send(new CreateBucketCommand({ Bucket }));
    made.push(Bucket);
  }
  return made;
}
