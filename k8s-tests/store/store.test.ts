import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { assetCredentials } from "../../src/features/provisioning/asset-access";
import { ensureBuckets } from "../../src/platform/objects/buckets";
import { openObjects } from "../../src/platform/objects/client";
import { ObjectReplaced, ObjectStore, type ObjectVersion } from "../../src/platform/objects/object-store";
import { Sts } from "../../src/platform/objects/sts";
import { atEndOfFile, freshFolder } from "../../src/testing";
import { until } from "../../src/testing/until";
import { ConfigStore } from "../../src/tunnel/client-configs/store";
import { generatedSecrets } from "../chart/generated";
import { type KubernetesObject, render } from "../chart/helm";
import { type Container, containersOf, expanded, workloads } from "../chart/pods";
import { startMinio } from "./minio";

/**
 * A real MinIO, set up as the chart's Job does it, and what each process can do there with the keys that the chart
 * gives it. Run by k8s-tests/store/run, which makes MinIO and its client.
 */
const run = promisify(execFile);
const folder = freshFolder("store");
const callsFile = join(folder, "calls");
const region = "us-east-1";
let url: string;
let objects: KubernetesObject[];
let keys: Record<string, string>;

beforeAll(async () => {
  objects = await render({});
  keys = generatedSecrets(objects)["fleet-objects"] as Record<string, string>;
  url = await startMinio(folder, variablesOf("minio"));
  const owner = openObjects(settings("fleet", keys["secret-key"] as string));
  await until(() => ensureBuckets(owner, ["fleet", "fleet-vpn"]), 30_000);
  owner.destroy();
  mkdirSync(join(folder, "users"));
  const users = objects.find(
    ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "fleet-store-users",
  );
  for (const [name, text] of Object.entries(users?.data as Record<string, string>)) {
    writeFileSync(join(folder, "users", name), text);
  }
  // The client, and a note of the arguments that it was called with.
  const client = join(folder, "bin", "mc");
  mkdirSync(join(folder, "bin"));
  writeFileSync(client, `#!/bin/sh\necho "$@" >>${callsFile}\nexec ${process.env.STORE_CLIENT} "$@"\n`);
  chmodSync(client, 0o755);
  await createUsers();
});

const settings = (S3_ACCESS_KEY_ID: string, S3_SECRET_ACCESS_KEY: string) => ({
  ...{ S3_ENDPOINT: url, S3_REGION: region, S3_BUCKET: "fleet" },
  ...{ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
});
const as = (user: string) => settings(`fleet-${user}`, keys[`${user}-secret-key`] as string);

/** A container's variables, with these values of the bundled store's Secret. */
function variablesOf(container: string, secrets = keys): Record<string, string> {
  const all = workloads(objects).flatMap(({ pod }) => containersOf(pod));
  return expanded(all.find(({ name }) => name === container) as Container, secrets);
}

/** The Job's step with its variables, by the client that STORE_CLIENT names. */
async function createUsers(secrets = keys): Promise<void> {
  const env = variablesOf("create-store-users", secrets);
  env.STORE = url.replace("http://", "");
  await run("sh", [join(folder, "users/create")], {
    env: { ...env, PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder },
  });
}

function storeOf(user: string, bucket = "fleet"): ObjectStore {
  const store = new ObjectStore({ ...as(user), S3_BUCKET: bucket });
  atEndOfFile(async () => store.close());
  return store;
}
function configsAs(user: string): ConfigStore {
  const client = openObjects(as(user));
  atEndOfFile(async () => client.destroy());
  return new ConfigStore(client, "fleet-vpn");
}
const denied = { name: "AccessDenied" };

test("gateway and worker keep assets, also large ones, and delete them", async () => {
  for (const user of ["gateway", "worker"]) {
    const store = storeOf(user);
    await store.write(`assets/1/${user}/flight.bin`, "a log", "application/octet-stream");
    expect(String(await store.readSmall(`assets/1/${user}/flight.bin`))).toBe("a log");
    const parts = async function* () {
      for (let part = 0; part < 5; part++) yield Buffer.alloc(4 * 2 ** 20, part);
    };
    await store.writeStream(`archives/${user}.zip`, Readable.from(parts()), "application/zip");
    expect(await store.head(`archives/${user}.zip`)).toMatchObject({ size: 20 * 2 ** 20 });
    expect(await store.head(`assets/1/${user}/nothing`)).toBeUndefined();
    await store.deletePrefix(`assets/1/${user}/`);
    expect(await store.head(`assets/1/${user}/flight.bin`)).toBeUndefined();
  }
});

test("the gateway copies an upload, unless another has replaced it, and deletes old ones", async () => {
  const store = storeOf("gateway");
  const upload = "uploads/2/1/content";
  await store.write(upload, "checked", "text/plain");
  const version = await store.head(upload);
  const copy = await store.copy(upload, version as ObjectVersion, "assets/2/1/übung (1)+.log");
  expect(copy).toEqual(version);
  await store.write(upload, "another", "text/plain");
  const again = store.copy(upload, version as ObjectVersion, "assets/2/1/again.log");
  await expect(again).rejects.toThrow(ObjectReplaced);
  const keys = async () =>
    (await store.list("")).map(({ key }) => key).filter((key) => key.includes("/2/1/"));
  expect(await store.deleteOld("uploads/2/", new Date(Date.now() - 60_000))).toBe(0);
  expect(await keys()).toEqual(["assets/2/1/übung (1)+.log", upload]);
  expect(await store.deleteOld("uploads/2/", new Date(Date.now() + 60_000))).toBe(1);
  expect(await keys()).toEqual(["assets/2/1/übung (1)+.log"]);
});

test("the tunnel writes configs, the gateway only reads them, and the worker reads none", async () => {
  const tunnel = configsAs("tunnel");
  await tunnel.put("vpn/users/1.conf", "a config", { onlyNew: true });
  await tunnel.put("tombstones/users/2.conf", "a config");
  expect((await tunnel.configs()).map(({ key }) => key)).toEqual(["vpn/users/1.conf"]);
  expect(await tunnel.get("vpn/users/3.conf")).toBeUndefined();
  const gateway = storeOf("gateway", "fleet-vpn");
  const link = await gateway.presignGet("vpn/users/1.conf", "user", 60, "users.conf");
  expect(await (await fetch(link)).text()).toBe("a config");
  expect(await gateway.head("vpn/users/3.conf")).toBeUndefined();
  await expect(gateway.readSmall("tombstones/users/2.conf")).rejects.toMatchObject(denied);
  await expect(configsAs("gateway").put("vpn/users/1.conf", "another")).rejects.toMatchObject(denied);
  await expect(configsAs("gateway").delete("vpn/users/1.conf")).rejects.toMatchObject(denied);
  await expect(configsAs("gateway").configs()).rejects.toMatchObject(denied);
  await expect(configsAs("worker").get("vpn/users/1.conf")).rejects.toMatchObject(denied);
  await expect(storeOf("tunnel").readSmall("assets/1/1/flight.bin")).rejects.toMatchObject(denied);
  await expect(storeOf("tunnel").write("assets/1/1/a", "a", "text/plain")).rejects.toMatchObject(denied);
  await tunnel.delete("vpn/users/1.conf");
});

test("no process makes a bucket", async () => {
  for (const user of ["gateway", "worker", "tunnel"]) {
    const client = openObjects(as(user));
    await expect(ensureBuckets(client, ["another"])).rejects.toBeTruthy();
    client.destroy();
  }
});

test("a drone's temporary credentials are the gateway's, limited to the drone's uploads and assets", async () => {
  const sts = new Sts({ ...as("gateway"), STS_ENDPOINT: url });
  const { accessKeyId, secretAccessKey, sessionToken } = await assetCredentials(sts, "fleet", 7);
  const drone = new S3Client({
    region,
    endpoint: url,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  });
  const put = (Key: string, Bucket = "fleet") => drone.send(new PutObjectCommand({ Bucket, Key, Body: "a" }));
  await put("uploads/7/1/content");
  expect(String(await storeOf("worker").readSmall("uploads/7/1/content"))).toBe("a");
  await expect(put("assets/7/1/flight.bin")).rejects.toMatchObject(denied);
  await expect(put("uploads/8/1/content")).rejects.toMatchObject(denied);
  await expect(put("archives/7.zip")).rejects.toMatchObject(denied);
  await expect(put("vpn/drones/7.conf", "fleet-vpn")).rejects.toMatchObject(denied);
  const config = new GetObjectCommand({ Bucket: "fleet-vpn", Key: "vpn/drones/7.conf" });
  await expect(drone.send(config)).rejects.toMatchObject(denied);
  drone.destroy();
});

test("the next release's Job changes nothing, and one with another key changes only that key", async () => {
  await createUsers();
  await storeOf("worker").write("assets/1/again", "a", "text/plain");
  const renewed = { ...keys, "worker-secret-key": "x".repeat(40) };
  await createUsers(renewed);
  await expect(storeOf("worker").readSmall("assets/1/again")).rejects.toMatchObject({
    name: "SignatureDoesNotMatch",
  });
  keys = renewed;
  expect(String(await storeOf("worker").readSmall("assets/1/again"))).toBe("a");
});

test("no key is in a program's arguments", () => {
  const calls = readFileSync(callsFile, "utf8").trim().split("\n");
  expect(calls.length).toBeGreaterThan(8);
  expect(calls).toContain("admin user add store");
  const secrets = Object.entries(keys).filter(([name]) => name.endsWith("secret-key"));
  expect(secrets.length).toBe(4);
  expect(calls.filter((call) => secrets.some(([, secret]) => call.includes(secret)))).toEqual([]);
});
