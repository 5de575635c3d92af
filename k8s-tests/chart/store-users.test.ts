import { execFileSync } from "node:child_process";
import { render } from "./helm";

/** The policies of the bundled store's users, as MinIO's own policy engine reads them. */
let policies: Record<string, string>;

beforeAll(async () => {
  const objects = await render({ objects: { bucket: "assets-of-ours", vpnBucket: "configs-of-ours" } });
  const users = objects.find(({ metadata }) => metadata.name === "fleet-store-users");
  policies = users?.data as Record<string, string>;
});

/** `allow` or `deny` for each `action|bucket|object|prefix`. */
function answers(user: string, questions: readonly string[]): string[] {
  const program = process.env.PEERS_MINIO_POLICY ?? "";
  const input = policies[`${user}.json`] as string;
  return execFileSync(program, questions, { input, encoding: "utf8" }).trim().split("\n");
}

const asset = "assets-of-ours|assets/1/5/flight.bin|";
const config = "configs-of-ours|vpn/drones/1.conf|";
const inAssets = [
  "GetObject",
  "PutObject",
  "DeleteObject",
  "AbortMultipartUpload",
  "ListMultipartUploadParts",
]
  .map((action) => `s3:${action}|${asset}`)
  .concat("s3:ListBucket|assets-of-ours||assets/1/");
const writesOfConfigs = [
  `s3:PutObject|${config}`,
  `s3:DeleteObject|${config}`,
  "s3:PutObject|configs-of-ours|tombstones/drones/1.conf|",
];
/** Requests that would change the store itself, or its users. */
const ofTheOwner = [
  "s3:CreateBucket|another||",
  "s3:DeleteBucket|assets-of-ours||",
  "s3:PutBucketPolicy|configs-of-ours||",
  "s3:ListAllMyBuckets|||",
  "s3:PutObject|another|a|",
  "admin:CreateUser|||",
  "admin:AttachUserOrGroupPolicy|||",
  "admin:ServerInfo|||",
];

const may = {
  gateway: [...inAssets, `s3:GetObject|${config}`],
  worker: inAssets,
  tunnel: [
    `s3:GetObject|${config}`,
    ...writesOfConfigs,
    "s3:ListBucket|configs-of-ours||vpn/",
    "s3:ListBucket|configs-of-ours||tombstones/",
  ],
};
const mayNot = {
  gateway: [...writesOfConfigs, "s3:GetObject|configs-of-ours|tombstones/drones/1.conf|", ...ofTheOwner],
  worker: [
    `s3:GetObject|${config}`,
    ...writesOfConfigs,
    "s3:ListBucket|configs-of-ours||vpn/",
    ...ofTheOwner,
  ],
  tunnel: [...inAssets, ...ofTheOwner],
};

describe.each(["gateway", "worker", "tunnel"] as const)("the %s", (user) => {
  test("may do in the bundled store what it needs", () => {
    expect(answers(user, may[user])).toEqual(may[user].map(() => "allow"));
  });

  test.each(mayNot[user])("is denied %s", (question) => {
    expect(answers(user, [question])).toEqual(["deny"]);
  });
});
