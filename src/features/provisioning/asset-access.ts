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
 * Allows a drone to put, read and list its own uploads, and to read and list its own assets. It cannot delete objects,
 * nor list other prefixes.
 */
export function ownAssets(partition: string, bucket: string, droneId: number): SessionPolicy {
  const [uploads, assets] = [`uploads/${droneId}/*`, `assets/${droneId}/*`];
  const resources = (...keys: string[]) => keys.map((key) => `${partition}:s3:::${bucket}/${key}`);
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: ["s3:GetObject"],
        Resource: resources(uploads, assets),
      },
      {
        Effect: "Allow",
        Action: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
        Resource: resources(uploads),
      },
      {
        Effect: "Allow",
        Action: ["s3:ListBucket"],
        Resource: [`${partition}:s3:::${bucket}`],
        Condition: { StringLike: { "s3:prefix": [uploads, assets] } },
      },
    ],
  };
}
