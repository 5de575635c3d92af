import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ObjectStore } from "../../platform/objects/object-store";
import { atEndOfFile, freshObjects } from "../../testing";
import { until } from "../../testing/until";
import { connectFrom, requestFrom, startEdge, type TestEdge } from "../../testing/worlds/start-edge";

const DRONE = "127.0.9.2";

let store: ObjectStore;
let edge: TestEdge;

beforeAll(async () => {
  const objects = await freshObjects("fleet", "fleet-vpn");
  edge = await edgeTo(objects.url);
  store = storeSeenAt(edge.edge.url("objects") as string, objects);
});

const edgeTo = (url: string) =>
  startEdge([DRONE], { objects: { port: 0, url, closedBucket: "fleet-vpn" }, idleTimeoutMs: 3_000 });

/** The gateway's store, whose URLs for drones lead to the edge. */
function storeSeenAt(
  droneEndpoint: string,
  { url, accessKeyId, secretAccessKey }: { url: string; accessKeyId: string; secretAccessKey: string },
  bucket = "fleet",
): ObjectStore {
  const made = new ObjectStore({
    S3_ENDPOINT: url,
    S3_DRONE_ENDPOINT: droneEndpoint,
    S3_REGION: "us-east-1",
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  });
  atEndOfFile(async () => made.close());
  return made;
}

test("a presigned upload and download pass, byte by byte, under the host that was signed", async () => {
  const key = "assets/7/1/flight log.bin";
  const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => 32 + (at % 90)));
  const put = await requestFrom(DRONE, await store.presignPut(key, "drone", 60), { method: "PUT", body });
  expect(put.status).toBe(200);
  expect(await store.head(key)).toMatchObject({ size: body.length });
  const got = await requestFrom(DRONE, await store.presignGet(key, "drone", 60));
  expect([got.status, got.text === body.toString()]).toEqual([200, true]);
  expect(got.headers.etag).toBe(put.headers.etag);
});

test("a URL for a size takes a content of that size only", async () => {
  const url = await store.presignPut("assets/7/1/sized", "drone", 60, 4);
  const put = (body: string) => requestFrom(DRONE, url, { method: "PUT", body });
  expect((await put("more than four")).status).toBe(403);
  expect(await store.head("assets/7/1/sized")).toBeUndefined();
  expect((await put("four")).status).toBe(200);
});

test("an upload with Expect: 100-continue gets its 100 and arrives", async () => {
  const url = new URL(await store.presignPut("assets/7/2/a", "drone", 60));
  const raw = connectFrom(DRONE, url.href);
  raw.socket.write(
    `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await until(() => raw.said().startsWith("HTTP/1.1 100"));
  raw.socket.write("body");
  await until(() => raw.said().includes("HTTP/1.1 200"));
  expect(String(await store.readSmall("assets/7/2/a"))).toBe("body");
});

test("a signature for one key is refused for another, and a changed signature is refused", async () => {
  const url = await store.presignPut("assets/7/3/mine", "drone", 60);
  const put = (to: string) => requestFrom(DRONE, to, { method: "PUT", body: "x" });
  expect((await put(url.replace("mine", "other"))).status).toBe(403);
  const changed = url.replace(
    /(X-Amz-Signature=)(.)/,
    (_, name, digit) => `${name}${digit === "0" ? "1" : "0"}`,
  );
  expect((await put(changed)).status).toBe(403);
  expect((await requestFrom(DRONE, url)).status).toBe(403);
  expect(await store.head("assets/7/3/other")).toBeUndefined();
});

interface ReceivedRequest {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

/** A store that takes everything, so that every refusal is the edge's. */
async function trustingStore() {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, reply) => {
    seen.push({ url: request.url, headers: request.headers });
    request.resume().on("end", () => reply.end("taken"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, edge: await edgeTo(url) };
}

const SIGNED =
  "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Date=b&X-Amz-SignedHeaders=host%3Bx-amz-meta-signed&X-Amz-Signature=c";

test.each([
  ["a GET without a signature", "GET", "/fleet/a", 403],
  ["a list of objects", "GET", "/fleet?list-type=2", 403],
  ["half a signature", "GET", "/fleet/a?X-Amz-Signature=c", 403],
  ["an empty signature", "GET", `/fleet/a?${SIGNED.replace("Signature=c", "Signature=")}`, 403],
  ["a signature twice", "GET", `/fleet/a?${SIGNED}&X-Amz-Signature=d`, 403],
  ["a signature of the older version", "GET", "/fleet/a?AWSAccessKeyId=a&Signature=b&Expires=9", 403],
  ["a DELETE", "DELETE", `/fleet/a?${SIGNED}`, 405],
  ["a POST", "POST", `/fleet/a?${SIGNED}`, 405],
  ["the bucket of client configs", "GET", `/fleet-vpn/vpn/drones/1.conf?${SIGNED}`, 403],
  ["that bucket in disguise", "GET", `/%66leet-vpn/vpn/drones/1.conf?${SIGNED}`, 403],
  ["that bucket behind slashes", "GET", `//fleet-vpn/vpn/drones/1.conf?${SIGNED}`, 403],
  ["that bucket behind a climb", "GET", `/fleet/../fleet-vpn/vpn/drones/1.conf?${SIGNED}`, 403],
  ["another server's URL", "GET", `http://127.0.0.1:1/fleet/a?${SIGNED}`, 403],
])("%s does not reach the store", async (_, method, path, status) => {
  const { seen, edge: trusting } = await trustingStore();
  const raw = connectFrom(DRONE, trusting.edge.url("objects") as string);
  raw.socket.write(`${method} ${path} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n`);
  await until(() => raw.said().startsWith(`HTTP/1.1 ${status} `));
  expect(seen).toEqual([]);
});

test("the bucket of client configs is also refused as a host name, in any spelling", async () => {
  const { seen, edge: trusting } = await trustingStore();
  const url = `${trusting.edge.url("objects")}/vpn/drones/1.conf?${SIGNED}`;
  const statusAt = async (host: string) => (await requestFrom(DRONE, url, { headers: { host } })).status;
  expect(await statusAt("fleet-vpn.s3.example:9000")).toBe(403);
  expect(await statusAt("FLEET-VPN.s3.example")).toBe(403);
  expect(seen).toEqual([]);
  expect(await statusAt("fleet.s3.example")).toBe(200);
});

test("headers that could extend what was signed are not forwarded", async () => {
  const { seen, edge: trusting } = await trustingStore();
  await requestFrom(DRONE, `${trusting.edge.url("objects")}/fleet/a?${SIGNED}`, {
    method: "PUT",
    headers: {
      Host: "signed.example:9000",
      "x-amz-copy-source": "/fleet/secret",
      "x-amz-acl": "public-read",
      "x-amz-meta-signed": "yes",
      Authorization: "AWS4-HMAC-SHA256 other",
      Cookie: "a=b",
      "Content-Type": "text/plain",
    },
    body: "x",
  });
  expect(seen).toHaveLength(1);
  const [{ url, headers }] = seen as [ReceivedRequest];
  expect(url).toBe(`/fleet/a?${SIGNED}`);
  expect(headers).toMatchObject({
    host: "signed.example:9000",
    "x-amz-meta-signed": "yes",
    "content-type": "text/plain",
  });
  for (const name of ["x-amz-copy-source", "x-amz-acl", "authorization", "cookie", "x-drone-ip"]) {
    expect(headers).not.toHaveProperty([name]);
  }
});

test("addresses that are not a live drone's do not reach the store, and a store that is away is a 502", async () => {
  const { seen, edge: trusting } = await trustingStore();
  const at = `${trusting.edge.url("objects")}/fleet/a?${SIGNED}`;
  expect((await requestFrom("127.0.9.9", at)).status).toBe(403);
  expect(seen).toEqual([]);
  const away = await edgeTo("http://127.0.0.1:1");
  expect((await requestFrom(DRONE, `${away.edge.url("objects")}/fleet/a?${SIGNED}`)).status).toBe(502);
});
