import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { openObjects } from "../../platform/objects/client";
import { atEndOfFile, freshFolder, freshObjects } from "../../testing";
import { type EmbeddedObjects, startObjects } from "./objects";

const clientOf = ({ url, accessKeyId, secretAccessKey }: EmbeddedObjects) =>
  openObjects({
    S3_ENDPOINT: url,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  });

const flight = { Bucket: "assets", Key: "1/2/flight log.bin" };

test("a presigned PUT and GET carry an object's bytes unchanged", async () => {
  const client = clientOf(await freshObjects("assets"));
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
  const put = await getSignedUrl(client, new PutObjectCommand(flight), { expiresIn: 30 });
  expect((await fetch(put, { method: "PUT", body: bytes })).status).toBe(200);
  const get = await getSignedUrl(client, new GetObjectCommand(flight), { expiresIn: 30 });
  expect(Buffer.from(await (await fetch(get)).arrayBuffer()).equals(bytes)).toBe(true);
});

test("a tampered signature is refused", async () => {
  const client = clientOf(await freshObjects("assets"));
  const put = new URL(await getSignedUrl(client, new PutObjectCommand(flight), { expiresIn: 30 }));
  put.pathname += ".other";
  expect((await fetch(put, { method: "PUT", body: "x" })).status).toBe(403);
});

test("a browser of another origin may put and get", async () => {
  const { url } = await freshObjects("assets");
  const preflight = await fetch(`${url}/assets/1/2/flight.bin`, {
    method: "OPTIONS",
    headers: {
      Origin: "https://pilots.example",
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "content-type",
    },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
});

test("a second start finds the objects of the first", async () => {
  const options = { folder: freshFolder("objects"), buckets: ["assets"] };
  const first = await startObjects(options);
  await clientOf(first).send(new PutObjectCommand({ ...flight, Body: "kept" }));
  await first.stop();
  await expect(fetch(first.url)).rejects.toThrow();
  const second = await startObjects(options);
  atEndOfFile(() => second.stop());
  const { Body } = await clientOf(second).send(new GetObjectCommand(flight));
  expect(await Body?.transformToString()).toBe("kept");
});
