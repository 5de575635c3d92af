import { execFileSync } from "node:child_process";
import { streamFolder, thumbnailKey } from "../assets/asset-names";
import { ownAssets } from "./asset-access";

const asset = { drone_id: 1, id: 5 };

/** What MinIO's own policy engine answers to each question: `action|bucket|object|prefix`. */
function asked(questions: readonly string[]): string[] {
  const input = JSON.stringify(ownAssets("arn:aws", "fleet", 1));
  const program = process.env.PEERS_MINIO_POLICY ?? "";
  return execFileSync(program, questions, { input, encoding: "utf8" }).trim().split("\n");
}

const allowed = [
  "s3:PutObject|fleet|uploads/1/5/content|",
  "s3:GetObject|fleet|uploads/1/5/content|",
  // Completed uploads, thumbnails and playlists are read, not written.
  "s3:GetObject|fleet|assets/1/5/flight.bin|",
  `s3:GetObject|fleet|${thumbnailKey(asset)}|`,
  "s3:AbortMultipartUpload|fleet|uploads/1/5/content|",
  "s3:ListMultipartUploadParts|fleet|uploads/1/5/content|",
  "s3:ListBucket|fleet||uploads/1/",
  "s3:ListBucket|fleet||assets/1/",
  "s3:ListBucket|fleet||assets/1/5/",
];

const denied = [
  "s3:PutObject|fleet|assets/1/5/flight.bin|",
  `s3:PutObject|fleet|${thumbnailKey(asset)}|`,
  `s3:PutObject|fleet|${streamFolder(asset)}index.m3u8|`,
  // Another drone's, also one whose number begins with ours.
  "s3:PutObject|fleet|uploads/2/5/content|",
  "s3:PutObject|fleet|uploads/12/5/content|",
  "s3:GetObject|fleet|assets/12/5/flight.bin|",
  "s3:GetObject|fleet|assets/1|",
  // What lies beside the assets, and the configs with the private keys.
  "s3:GetObject|fleet|archives/1.zip|",
  "s3:GetObject|fleet|compose/copter.yaml|",
  "s3:GetObject|fleet-vpn|vpn/drones/1.conf|",
  "s3:GetObject|fleet-vpn|assets/1/5/flight.bin|",
  // Names of others', and of everything.
  "s3:ListBucket|fleet||assets/12/",
  "s3:ListBucket|fleet||assets/1",
  "s3:ListBucket|fleet||assets/",
  "s3:ListBucket|fleet||",
  "s3:ListBucket|fleet-vpn||assets/1/",
  "s3:ListAllMyBuckets|||",
  // Nothing is taken away, nor given to others.
  "s3:DeleteObject|fleet|uploads/1/5/content|",
  "s3:DeleteObject|fleet|assets/1/5/flight.bin|",
  "s3:DeleteBucket|fleet||",
  "s3:PutBucketPolicy|fleet||",
  "s3:PutObjectRetention|fleet|assets/1/5/flight.bin|",
];

test("MinIO's policy engine lets a drone put its uploads, and read and list them and its assets", () => {
  expect(asked(allowed)).toEqual(allowed.map(() => "allow"));
});

test.each(denied)("and denies %s", (question) => {
  expect(asked([question])).toEqual(["deny"]);
});
