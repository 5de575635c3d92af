import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { atEndOfFile } from "../testing";
import { freshMoto } from "../testing/fakes/moto";
import { registryLogin } from "./image-registry";
import { Sts } from "./objects/sts";

let url: string;
const keys = { S3_ACCESS_KEY_ID: "test", S3_SECRET_ACCESS_KEY: "test", S3_REGION: "eu-central-1" };

beforeAll(async () => {
  url = await freshMoto();
}, 90_000);

test("moto's STS gives a session of the role, and knows its holder again", async () => {
  const sts = new Sts({ ...keys, STS_ENDPOINT: url, STS_ROLE_ARN: "arn:aws:iam::123456789012:role/drones" });
  const policy = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Deny", Action: "*", Resource: "*" }],
  } as const;
  const given = await sts.assume("drone-7", policy, 3_600);
  expect(given).toMatchObject({ accountId: "123456789012", region: "eu-central-1" });
  const holder = new STSClient({ region: given.region, endpoint: url, credentials: given });
  atEndOfFile(async () => holder.destroy());
  const { Arn, Account } = await holder.send(new GetCallerIdentityCommand({}));
  expect({ Arn, Account }).toEqual({
    Arn: "arn:aws:sts::123456789012:assumed-role/drones/drone-7",
    Account: "123456789012",
  });
});

test("moto's ECR gives a login for the account's registry", async () => {
  process.env.AWS_ACCESS_KEY_ID = "test";
  process.env.AWS_SECRET_ACCESS_KEY = "test";
  process.env.AWS_ENDPOINT_URL_ECR = url;
  expect(await registryLogin({ ...keys, REGISTRY_PROVIDER: "ecr" })).toEqual({
    username: "AWS",
    password: expect.stringMatching(/./),
    repository: "123456789012.dkr.ecr.eu-central-1.amazonaws.com",
  });
});
