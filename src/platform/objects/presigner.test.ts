import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { freshObjects } from "../../testing";
import { openObjects } from "./client";
import { Presigner } from "./presigner";

const settings = {
  S3_REGION: "eu-central-1",
  S3_ACCESS_KEY_ID: "AKIDEXAMPLE",
  S3_SECRET_ACCESS_KEY: "a secret",
};
const Bucket = "fleet";
const KEYS = ["plain.bin", "assets/1/2/übung (1)'*!~.jpg", "a//b/&?=+#%.bin"];

afterEach(() => jest.useRealTimers());

async function expectSame(client: S3Client, bucket = Bucket): Promise<void> {
  jest.useFakeTimers({ now: new Date("2031-05-06T07:08:09.123Z"), doNotFake: ["nextTick", "setImmediate"] });
  const presigner = new Presigner(client, bucket);
  for (const Key of KEYS) {
    const options = { expiresIn: 77 };
    const disposition = 'attachment; filename="a.jpg"';
    const [get, saved, put] = [
      await presigner.sign({ operation: "GetObject", key: Key, seconds: 77 }),
      await presigner.sign({
        operation: "GetObject",
        key: Key,
        seconds: 77,
        bound: { "response-content-disposition": disposition },
      }),
      await presigner.sign({ operation: "PutObject", key: Key, seconds: 77 }),
    ];
    const input = { Bucket: bucket, Key };
    expect(get).toBe(await getSignedUrl(client, new GetObjectCommand(input), options));
    const saving = new GetObjectCommand({ ...input, ResponseContentDisposition: disposition });
    expect(saved).toBe(await getSignedUrl(client, saving, options));
    expect(put).toBe(await getSignedUrl(client, new PutObjectCommand(input), options));
  }
}

test.each([
  ["AWS", undefined, Bucket],
  ["AWS, of a bucket with a dot", undefined, "fleet.example"],
  ["a store with a port", "http://127.0.0.1:9000", Bucket],
  ["a store below a path", "https://store.example/s3", Bucket],
])("URLs of %s are byte for byte the SDK's", async (_whose, endpoint, bucket) => {
  await expectSame(openObjects({ ...settings, S3_ENDPOINT: endpoint }), bucket);
});

test("URLs of temporary credentials are byte for byte the SDK's", async () => {
  const credentials = { accessKeyId: "ASIAEXAMPLE", secretAccessKey: "a secret", sessionToken: "a+token/=" };
  const checksums = {
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  } as const;
  await expectSame(new S3Client({ region: "eu-central-1", credentials, ...checksums }));
});

test("a URL is signed with the current credentials, also when there were none at first", async () => {
  let accessKeyId: string | undefined;
  const client = new S3Client({
    region: "eu-central-1",
    credentials: async () => {
      if (accessKeyId === undefined) throw new Error("no credentials yet");
      return { accessKeyId, secretAccessKey: "a secret", expiration: new Date() };
    },
  });
  const presigner = new Presigner(client, Bucket);
  const sign = () => presigner.sign({ operation: "GetObject", key: "a.bin", seconds: 60 });
  await expect(sign()).rejects.toThrow("no credentials yet");
  accessKeyId = "FIRST";
  expect(await sign()).toContain("X-Amz-Credential=FIRST%2F");
  accessKeyId = "SECOND";
  expect(await sign()).toContain("X-Amz-Credential=SECOND%2F");
});

test("a store accepts the URLs, and refuses changed ones", async () => {
  const objects = await freshObjects(Bucket);
  const client = openObjects({
    S3_ENDPOINT: objects.url,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  });
  const presigner = new Presigner(client, Bucket);
  const key = "assets/1/2/übung (1).bin";
  const to = await presigner.sign({ operation: "PutObject", key, seconds: 60 });
  expect((await fetch(to, { method: "PUT", body: "content" })).status).toBe(200);
  const from = await presigner.sign({ operation: "GetObject", key, seconds: 60 });
  expect(await (await fetch(from)).text()).toBe("content");
  expect((await fetch(from.replace("Expires=60", "Expires=61"))).status).toBe(403);
  client.destroy();
});
