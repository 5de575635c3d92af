import type { SessionPolicy, Sts, TemporaryCredentials } from "../../platform/objects/sts";

/** Life of a drone's temporary credentials. */
const SECONDS = 3_600;

/** Credentials for the drone's own part of the asset bucket. Rejects with `unavailable`. */
export const assetCredentials = (
  sts: Pick<Sts, "assume" | "partition">,
  bucket: string,
  droneId: number,
): Promise<TemporaryCredentials> =>
  sts.assume(`drone-${droneId}`, ownAssets(sts.partition, bucket, droneId), SECONDS);

/**
 * Allows a drone to put, read and list objects below its own prefix. It cannot delete objects, nor list other prefixes,
 * nor write where thumbnails and playlists of its assets are.
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
        Effect: "Deny",
        Action: ["s3:PutObject"],
        Resource: [`${partition}:s3:::${bucket}/assets/${droneId}/*/derived/*`],
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
