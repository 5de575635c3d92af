import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  ListMultipartUploadsCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { assetCredentials } from "../../src/features/provisioning/asset-access";
import { ensureBuckets } from "../../src/platform/objects/buckets";
import { clientOptions, openObjects } from "../../src/platform/objects/client";
import { ObjectReplaced, ObjectStore, type ObjectVersion } from "../../src/platform/objects/object-store";
import { Sts } from "../../src/platform/objects/sts";
import { freshFolder } from "../../src/testing";
import { until } from "../../src/testing/until";
import { ConfigStore } from "../../src/tunnel/client-configs/store";
import { startMinio } from "./minio";

/**
 * What the service asks of an object store, asked of the one that STORE_ENDPOINT names, in a bucket that is made for it
 * and deleted; of a MinIO of its own without.
 */
const { STORE_ENDPOINT, STS_ENDPOINT, STS_ROLE_ARN } = process.env;
const hasSts = !STORE_ENDPOINT || STS_ENDPOINT || STS_ROLE_ARN;
const bucket = `fleet-conformance-${randomBytes(5).toString("hex")}`;
const MINIO = { MINIO_ROOT_USER: "fleet", MINIO_ROOT_PASSWORD: "conformance" };
const PAGE = "https://fleet.example.com";

let settings: ReturnType<typeof settingsOf>;
let client: S3Client;
let store: ObjectStore;

const settingsOf = (endpoint: string, key: string, secret: string) => ({
  ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: process.env.S3_REGION ?? "us-east-1" },
  ...{ S3_ACCESS_KEY_ID: key, S3_SECRET_ACCESS_KEY: secret },
});

beforeAll(async () => {
  const { S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = process.env;
  settings = STORE_ENDPOINT
    ? settingsOf(STORE_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY)
    : settingsOf(
        await startMinio(freshFolder("conformance"), MINIO),
        MINIO.MINIO_ROOT_USER,
        MINIO.MINIO_ROOT_PASSWORD,
      );
  client = openObjects(settings);
  store = new ObjectStore(settings);
  await ensureBuckets(client, [bucket], 30);
});

afterAll(async () => {
  await store.deletePrefix("");
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  store.close();
  client.destroy();
});

const versionOf = async (key: string) => (await store.head(key)) as ObjectVersion;
const text = async (key: string) => String(await store.readSmall(key));

test("keeps an object, and says its size and version", async () => {
  expect(await store.head("assets/1.log")).toBeUndefined();
  await store.write("assets/1.log", "a log", "text/plain");
  expect(await store.head("assets/1.log")).toEqual({ size: 5, etag: expect.stringMatching(/\S/) });
  expect(await text("assets/1.log")).toBe("a log");
});

test("keeps names with spaces, signs and letters of any language", async () => {
  const keys = ["names/übung (1)+.log", "names/a b&c=d.txt", "names/飛行 #2.tlog"];
  for (const key of keys) await store.write(key, key, "text/plain");
  expect((await store.list("names/")).map(({ key }) => key)).toEqual([...keys].sort());
  for (const key of keys)
    expect(await (await fetch(await store.presignGet(key, "user", 60))).text()).toBe(key);
});

test("lists more objects than a page has, and deletes them", async () => {
  const keys = Array.from({ length: 1_001 }, (_, at) => `many/${String(at).padStart(4, "0")}`);
  for (let at = 0; at < keys.length; at += 20)
    await Promise.all(keys.slice(at, at + 20).map((key) => store.write(key, "a", "text/plain")));
  expect((await store.list("many/")).map(({ key }) => key)).toEqual(keys);
  await store.deletePrefix("many/");
  expect(await store.list("many/")).toEqual([]);
});

test("takes an object by a presigned PUT, and none of another size", async () => {
  const url = await store.presignPut("uploads/1", "user", 60, 5);
  expect((await fetch(url, { method: "PUT", body: "too long" })).status).toBeGreaterThanOrEqual(400);
  expect(await store.head("uploads/1")).toBeUndefined();
  expect((await fetch(url, { method: "PUT", body: "a log" })).status).toBe(200);
  expect(await text("uploads/1")).toBe("a log");
});

test("gives an object, or a range of it, by a presigned GET, under a name to save it by", async () => {
  await store.write("downloads/1", "0123456789", "text/plain");
  const url = await store.presignGet("downloads/1", "user", 60, "flight.log");
  const whole = await fetch(url);
  expect(await whole.text()).toBe("0123456789");
  expect(whole.headers.get("content-disposition")).toBe('attachment; filename="flight.log"');
  const part = await fetch(url, { headers: { range: "bytes=2-5" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
    ...[206, "bytes 2-5/10", "2345"],
  ]);
});

test("refuses a presigned URL that has expired", async () => {
  await store.write("downloads/2", "a", "text/plain");
  const url = await store.presignGet("downloads/2", "user", 2);
  expect((await fetch(url)).status).toBe(200);
  // S3 answers 403, Garage 400.
  await until(async () => [400, 403].includes((await fetch(url)).status), 15_000);
});

test("gives ranges, and says when there is none", async () => {
  await store.write("ranges/1", "0123456789", "text/plain");
  await store.write("ranges/empty", "", "text/plain");
  const part = await store.readPart("ranges/1", 2, 5);
  expect(String(await buffer(part?.body as Readable))).toBe("2345");
  expect(part?.version).toEqual(await versionOf("ranges/1"));
  expect(await store.readPart("ranges/1", 10, 20)).toBeUndefined();
  expect(await store.beginsWith("ranges/1", "0123")).toBe(true);
  expect(await store.beginsWith("ranges/empty", "0123")).toBe(false);
});

test("takes a stream of unknown length in parts, and keeps it whole or not at all", async () => {
  const MB = 2 ** 20;
  const parts = async function* (count: number) {
    for (let part = 0; part < count; part++) yield Buffer.alloc(4 * MB, part);
  };
  await store.writeStream("streams/1", Readable.from(parts(9)), "application/zip");
  expect(await store.head("streams/1")).toMatchObject({ size: 36 * MB });
  const edge = await store.readPart("streams/1", 16 * MB - 1, 16 * MB);
  expect([...(await buffer(edge?.body as Readable))]).toEqual([3, 4]);
  const failing = async function* () {
    yield* parts(5);
    throw new Error("the source failed");
  };
  await expect(store.writeStream("streams/2", Readable.from(failing()), "application/zip")).rejects.toThrow();
  expect(await store.head("streams/2")).toBeUndefined();
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  expect(Uploads).toEqual([]);
});

test("copies the version that was named, and no later one", async () => {
  await store.write("uploads/2", "checked", "text/plain");
  const version = await versionOf("uploads/2");
  expect(await store.copy("uploads/2", version, "assets/2")).toMatchObject({ size: 7 });
  await store.write("uploads/2", "another", "text/plain");
  await expect(store.copy("uploads/2", version, "assets/3")).rejects.toThrow(ObjectReplaced);
  await expect(store.read("uploads/2", version)).rejects.toThrow(ObjectReplaced);
  expect([await text("assets/2"), await store.head("assets/3")]).toEqual(["checked", undefined]);
});

test("lets the first of two writers write, by If-None-Match", async () => {
  const configs = new ConfigStore(client, bucket);
  await configs.put("vpn/1.conf", "first", { onlyNew: true });
  const second = configs.put("vpn/1.conf", "second", { onlyNew: true });
  await expect(second).rejects.toMatchObject({ name: "PreconditionFailed" });
  expect(await configs.get("vpn/1.conf")).toBe("first");
});

test("lets a page of the console's origin read, by CORS", async () => {
  const rule = { AllowedOrigins: [PAGE], AllowedMethods: ["GET", "HEAD"] };
  const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } });
  // MinIO has no such call, and lets every origin read.
  await client.send(command).catch((error: Error) => expect(error.name).toBe("NotImplemented"));
  await store.write("videos/1.m3u8", "#EXTM3U", "application/vnd.apple.mpegurl");
  const url = await store.presignGet("videos/1.m3u8", "user", 60);
  await until(async () => {
    const { status, headers } = await fetch(url, { headers: { origin: PAGE } });
    return status === 200 && [PAGE, "*"].includes(headers.get("access-control-allow-origin") ?? "");
  }, 15_000);
});

test("obeys a bucket policy", async () => {
  await store.write("open/1", "open", "text/plain");
  await store.write("closed/1", "closed", "text/plain");
  const anonymous = async (key: string) => (await fetch(`${settings.S3_ENDPOINT}/${bucket}/${key}`)).status;
  expect(await anonymous("open/1")).toBe(403);
  const Resource = `arn:aws:s3:::${bucket}/open/*`;
  const Statement = [{ Effect: "Allow", Principal: "*", Action: ["s3:GetObject"], Resource }];
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
  const put = await client
    .send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
    .catch((error: Error) => error);
  if (put instanceof Error) {
    // AWS refuses what would open a bucket to everybody, unless its owner allows it.
    expect(put.message).toMatch(/BlockPublicPolicy/i);
    return;
  }
  await until(async () => (await anonymous("open/1")) === 200, 15_000);
  expect(await anonymous("closed/1")).toBe(403);
  await client.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
  await until(async () => (await anonymous("open/1")) === 403, 15_000);
});

if (hasSts) {
  test("gives a drone credentials for its own uploads alone, by STS", async () => {
    const endpoint = STORE_ENDPOINT ? STS_ENDPOINT : settings.S3_ENDPOINT;
    const sts = new Sts({ ...settings, STS_ENDPOINT: endpoint, STS_ROLE_ARN });
    const { accessKeyId, secretAccessKey, sessionToken } = await assetCredentials(sts, bucket, 7);
    const drone = new S3Client({
      ...clientOptions(settings, settings.S3_ENDPOINT),
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey, sessionToken },
    });
    const put = (Key: string) => drone.send(new PutObjectCommand({ Bucket: bucket, Key, Body: "a" }));
    await put("uploads/7/1/content");
    await expect(put("uploads/8/1/content")).rejects.toMatchObject({ name: "AccessDenied" });
    drone.destroy();
  });
}
