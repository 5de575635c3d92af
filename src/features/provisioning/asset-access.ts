import type { SessionPolicy, Sts, TemporaryCredentials } from "../../platform/objects/sts";

/** How long a drone's temporary credentials work. */
const SECONDS = 3_600;

/** Credentials for the drone's own part of the asset bucket. Rejects with `unavailable`. */
export const assetCredentials = (
  sts: Pick<Sts, "assume" | "partition">,
  bucket: string,
  droneId: number,
): Promise<TemporaryCredentials> =>
  sts.assume(`drone-${droneId}`, ownAssets(sts.partition, bucket, droneId), SECONDS);

/**
 * What a drone may do with them: put, read and list what is below its own prefix. Nothing is deleted by a drone,
 * and of other prefixes it does not even learn the names.
 */
export function ownAssets(partition: string, bucket: string, droneId: number): SessionPolicy {
  const own = `assets/${droneId}/*`;
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
        Resource: [`${partition}:s3:::${bucket}/${own}`],
      },
      {
        Effect: "Allow",
        Action: ["s3:ListBucket"],
        Resource: [`${partition}:s3:::${bucket}`],
        Condition: { StringLike: { "s3:prefix": [own] } },
      },
    ],
  };
}
