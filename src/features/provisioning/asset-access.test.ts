import { FakeAws } from "../../testing/fakes/fake-aws";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { droneClient } from "../../testing/worlds/uploads";
import { ownAssets } from "./asset-access";

let aws: FakeAws;
let gateway: TestGateway;

beforeAll(async () => {
  aws = await FakeAws.start();
  const role = "arn:aws:iam::123456789012:role/drone-assets";
  gateway = await startTestGateway({ STS_ENDPOINT: aws.url, STS_ROLE_ARN: role, S3_REGION: "eu-central-1" });
});
afterEach(() => {
  aws.mode = "serve";
});

async function newDrone(at = gateway) {
  const { api } = await at.newUser();
  const input = { type: "sitl", name: "Copter", vehicle_type: "copter" };
  const { id, ip } = (await api.post("/drone", input)).body as { id: number; ip: string };
  return { id, pull: () => droneClient(at.api, ip).get("/drone/pull") };
}

test("each drone gets a session of its own that reaches its own uploads and assets, for an hour", async () => {
  const drones = [await newDrone(), await newDrone()];
  for (const { id, pull } of drones) {
    const { status, body, headers } = await pull();
    expect(status).toBe(200);
    expect(body).toMatchObject({ accountId: "123456789012", region: "eu-central-1" });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(aws.sessions.at(-1)).toMatchObject({
      role: "arn:aws:iam::123456789012:role/drone-assets",
      name: `drone-${id}`,
      seconds: 3600,
      policy: ownAssets("arn:aws", "fleet", id),
    });
  }
});

test("the policy names the drone's prefixes whole, so that drone 1 is not drone 12", () => {
  expect(ownAssets("arn:aws", "fleet", 1)).toEqual({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: ["s3:GetObject"],
        Resource: ["arn:aws:s3:::fleet/uploads/1/*", "arn:aws:s3:::fleet/assets/1/*"],
      },
      {
        Effect: "Allow",
        Action: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
        Resource: ["arn:aws:s3:::fleet/uploads/1/*"],
      },
      {
        Effect: "Allow",
        Action: ["s3:ListBucket"],
        Resource: ["arn:aws:s3:::fleet"],
        Condition: { StringLike: { "s3:prefix": ["uploads/1/*", "assets/1/*"] } },
      },
    ],
  });
});

test("a role of another partition has its buckets there", async () => {
  const role = "arn:aws-cn:iam::123456789012:role/drone-assets";
  const china = await startTestGateway({ STS_ENDPOINT: aws.url, STS_ROLE_ARN: role });
  await (await newDrone(china)).pull();
  expect(aws.sessions.at(-1)?.policy.Statement[0].Resource[0]).toMatch(/^arn:aws-cn:s3:::fleet\/uploads/);
});

test.each(["refuse", "garbage", "silent"] as const)(
  "an STS that answers with %s is a 500 that gives nothing away",
  async (mode) => {
    const { pull } = await newDrone();
    aws.mode = mode;
    const { status, body } = await pull();
    expect({ status, body }).toEqual({
      status: 500,
      body: { error: "No credentials can be had just now; try again shortly." },
    });
  },
);

test("in the strict profile only the drone-only port answers, to the edge", async () => {
  const EDGE_SECRET = "an edge secret of enough length";
  const strict = await startTestGateway({ ACCESS_PROFILE: "strict", EDGE_SECRET, STS_ENDPOINT: aws.url });
  const { api } = await strict.newUser();
  const input = { type: "sitl", name: "Copter", vehicle_type: "copter" };
  const { ip } = (await api.post("/drone", input)).body as { ip: string };
  expect((await droneClient(strict.api, ip).get("/drone/pull")).status).toBe(405);
  const ask = (headers: Record<string, string>) =>
    fetch(`${strict.droneUrl}/api/v1/drone/pull`, { headers: { "x-drone-ip": ip, ...headers } });
  expect((await ask({})).status).toBe(401);
  expect((await ask({ "x-edge-secret": EDGE_SECRET })).status).toBe(200);
});
