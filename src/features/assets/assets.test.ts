import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { freshFolder } from "../../testing";
import type { ApiClient } from "../../testing/client";
import { until } from "../../testing/until";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { droneClient, put, sha256, upload } from "../../testing/worlds/uploads";
import { assetFolder, assetKey, safeFileName } from "./asset-names";

const run = promisify(execFile);

let gateway: TestGateway;
let user: TestUser;
let vehicle: { id: number; ip: string };
let drone: ApiClient;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
  user = await gateway.newUser();
  vehicle = await newVehicle(user);
  drone = droneClient(gateway.api, vehicle.ip);
});

const newVehicle = async ({ api }: TestUser) =>
  (await api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" })).body;

const assetOf = async (id: number) =>
  (await user.api.get(`/assets/${vehicle.id}`)).body.data.find((asset: { id: number }) => asset.id === id);

const uploadRequest = { file_name: "flight.bin", asset_type: "logs" };

test("curl -T uploads to the URL as it is, and the download is the same bytes under the drone's name", async () => {
  const folder = freshFolder("curl");
  const content = Buffer.from("a log of some flight");
  writeFileSync(join(folder, "some file.bin"), content);
  const { body } = await drone.post("/authenticate_upload", {
    ...uploadRequest,
    file_name: "übung 1.bin",
    checksum: sha256(content),
  });
  await run("curl", ["--silent", "--fail", "-T", join(folder, "some file.bin"), body.url]);
  const completed = await drone.post("/complete_upload", { asset_id: body.asset_id });
  expect(completed).toMatchObject({
    status: 200,
    body: { success: true, asset_id: body.asset_id, user_id: user.id, drone_id: vehicle.id },
  });
  const { body: download } = await user.api.get(`/assets/${vehicle.id}/download/${body.asset_id}`);
  const response = await fetch(download.download_url);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
  expect(response.headers.get("content-disposition")).toBe("attachment");
  expect(decodeURIComponent(new URL(download.download_url).pathname)).toMatch(/\/übung 1\.bin$/);
});

test("a retry before completion is the same asset with a new URL, and the same content afterwards a conflict", async () => {
  const content = "the same content";
  const request = { ...uploadRequest, file_name: "retry.bin", checksum: sha256(content) };
  const [first, second] = [
    await drone.post("/authenticate_upload", request),
    await drone.post("/authenticate_upload", request),
  ];
  expect(second?.body.asset_id).toBe(first?.body.asset_id);
  await put(second?.body.url, content);
  expect((await drone.post("/complete_upload", { asset_id: first?.body.asset_id })).status).toBe(200);
  expect(await drone.post("/authenticate_upload", request)).toMatchObject({
    status: 409,
    body: { success: false, error: { code: 409 } },
  });
  const other = await drone.post("/authenticate_upload", {
    ...request,
    checksum: sha256("another flight's"),
  });
  expect(other.body.asset_id).not.toBe(first?.body.asset_id);
});

test("ten requests for one file at once are one asset", async () => {
  const request = { ...uploadRequest, file_name: "race.bin", checksum: sha256("race") };
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => drone.post("/authenticate_upload", request)),
  );
  expect(new Set(replies.map(({ body }) => body.asset_id)).size).toBe(1);
});

test("without a checksum every flight's log.bin is an asset of its own", async () => {
  const nameless = { ...uploadRequest, file_name: "log.bin", checksum: null };
  const one = await upload(drone, nameless, "flight one");
  const two = await upload(drone, nameless, "flight two");
  expect(two.completed.status).toBe(200);
  expect(two.asset_id).not.toBe(one.asset_id);
});

test.each([
  ["a missing object", undefined, "kept for later", /Nothing was uploaded/],
  ["an empty file", "", undefined, /empty/],
  ["a wrong checksum", "something else", "what was announced", /checksum/],
])(
  "%s is a 400 with the reason, the asset has failed, and an upload of the whole file completes it",
  async (name, sent, meant, why) => {
    const content = meant ?? "whole";
    const checksum = sent === "" ? null : sha256(content);
    const { body } = await drone.post("/authenticate_upload", {
      ...uploadRequest,
      file_name: `${name}.bin`,
      checksum,
    });
    if (sent !== undefined) await put(body.url, sent);
    const refused = await drone.post("/complete_upload", { asset_id: body.asset_id });
    expect(refused).toMatchObject({
      status: 400,
      body: { success: false, error: { code: 400, message: expect.stringMatching(why) } },
    });
    expect(await assetOf(body.asset_id)).toMatchObject({
      status: "failed",
      failure: expect.stringMatching(why),
    });
    await put(body.url, content);
    expect((await drone.post("/complete_upload", { asset_id: body.asset_id })).status).toBe(200);
    expect(await assetOf(body.asset_id)).toMatchObject({
      status: "ready",
      failure: null,
      size: content.length,
      sha256: sha256(content),
    });
  },
);

test("a log that changed during the upload is the same asset with its new checksum", async () => {
  const { body: flight } = await drone.post("/executions/start", {});
  const request = { ...uploadRequest, file_name: "growing.bin", execution_id: flight.id };
  const announced = await drone.post("/authenticate_upload", { ...request, checksum: sha256("half") });
  const { asset_id } = announced.body;
  await put(announced.body.url, "half and the rest");
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(400);
  const again = await upload(drone, request, "half and the rest");
  expect(again).toMatchObject({ asset_id, completed: { status: 200 } });
  const other = await upload(drone, { ...request, file_name: "growing.bin" }, "another file of that name");
  expect(other.asset_id).not.toBe(asset_id);
  expect(await assetOf(asset_id)).toMatchObject({ status: "ready", sha256: sha256("half and the rest") });
});

test("an MD5 is accepted as the checksum, in any case of letters; other texts are refused", async () => {
  const md5 = "900150983CD24FB0D6963F7D28E17F72";
  const { completed } = await upload(drone, { ...uploadRequest, file_name: "abc.bin", checksum: md5 }, "abc");
  expect(completed.status).toBe(200);
  const refused = await drone.post("/authenticate_upload", { ...uploadRequest, checksum: "crc32:1234" });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("SHA-256") } },
  });
});

test("content that is certainly not of the announced type is refused", async () => {
  const pdf = await upload(drone, { file_name: "a.jpg", asset_type: "image" }, "%PDF-1.7 and so on");
  expect(pdf.completed).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("application/pdf") } },
  });
});

test("another drone neither completes this one's upload nor names its execution", async () => {
  const foreign = droneClient(gateway.api, (await newVehicle(await gateway.newUser())).ip);
  const { body } = await drone.post("/authenticate_upload", { ...uploadRequest, file_name: "mine.bin" });
  expect((await foreign.post("/complete_upload", { asset_id: body.asset_id })).status).toBe(403);
  const execution = (await drone.post("/executions/start", {})).body.id;
  const named = await foreign.post("/authenticate_upload", { ...uploadRequest, execution_id: execution });
  expect(named).toMatchObject({ status: 403, body: { success: false } });
});

const long = `${"ä".repeat(1_020)}.bin`;
test.each([
  ["../../../etc/passwd", "passwd"],
  ["..", "file"],
  ["a/b\\c.jpg", "c.jpg"],
  ["  .hidden  ", "hidden"],
  ["line\nbreak\u202e.log", "line_break_.log"],
  ["飛行ログ №1.bin", "飛行ログ _1.bin"],
  ["%2e%2e%2fx?y#z.bin", "_2e_2e_2fx_y_z.bin"],
  [long, `${"ä".repeat(88)}.bin`],
])("a file named %j is stored as %j, and comes back whole", async (given, stored) => {
  expect(safeFileName(given)).toBe(stored);
  expect(Buffer.byteLength(assetKey({ drone_id: 1, id: 1, file_name: given }))).toBeLessThan(1_024);
  const { asset_id, completed } = await upload(
    drone,
    { ...uploadRequest, file_name: given },
    `content of ${given}`,
  );
  expect(completed.status).toBe(200);
  expect((await assetOf(asset_id)).file_name).toBe(given);
  const { body } = await user.api.get(`/assets/${vehicle.id}/download/${asset_id}`);
  expect(await (await fetch(body.download_url)).text()).toBe(`content of ${given}`);
});

test("an image gets an upright thumbnail; a broken one is kept without", async () => {
  const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: "#3a7" } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const { asset_id } = await upload(drone, { file_name: "photo.jpg", asset_type: "image" }, photo);
  const broken = await upload(
    drone,
    { file_name: "broken.jpg", asset_type: "image" },
    Buffer.concat([photo.subarray(0, 12), Buffer.alloc(100)]),
  );
  const url = await until(async () => (await assetOf(asset_id)).thumbnail_url ?? false);
  const response = await fetch(url as string);
  const { width, height, format } = await sharp(await response.arrayBuffer()).metadata();
  expect({ width, height, format }).toEqual({ width: 270, height: 360, format: "jpeg" });
  expect(await assetOf(broken.asset_id)).toMatchObject({ status: "ready", thumbnail_url: null });
});

test("deleted assets leave neither rows nor objects, also when their upload URL is used later", async () => {
  const { asset_id, url } = await upload(drone, { ...uploadRequest, file_name: "gone.bin" }, "soon gone");
  const folder = assetFolder({ drone_id: vehicle.id, id: asset_id });
  const foreign = 2_000_000_000;
  const reply = await user.api.post(`/assets/${vehicle.id}/delete`, { ids: [asset_id, foreign] });
  expect(reply).toMatchObject({ status: 200, body: { data: { deleted: [asset_id] } } });
  expect(await assetOf(asset_id)).toBeUndefined();
  expect(await gateway.deps.store.head(`${folder}gone.bin`)).toBeUndefined();
  expect(await put(url, "late")).toBe(200);
  await gateway.deps.db.raw("UPDATE graphile_worker._private_jobs SET run_at = now()");
  await until(async () => (await gateway.deps.store.head(`${folder}gone.bin`)) === undefined);
});

test("a deleted vehicle's assets stay its owner's", async () => {
  const owner = await gateway.newUser();
  const old = await newVehicle(owner);
  const { asset_id } = await upload(droneClient(gateway.api, old.ip), uploadRequest, "the last flight");
  await owner.api.delete(`/drone/${old.id}`);
  const { body } = await owner.api.get(`/assets/${old.id}`);
  expect(body.data.map(({ id }: { id: number }) => id)).toEqual([asset_id]);
  expect((await owner.api.get("/assets/user")).body.data).toEqual([
    { vehicle_id: old.id, name: "Surveyor", video: 0, image: 0, logs: 1, total: 1 },
  ]);
});

test("assets and executions from the time of an earlier owner are not shown to the next", async () => {
  const sold = await newVehicle(await gateway.newUser());
  const onBoard = droneClient(gateway.api, sold.ip);
  const { body: flight } = await onBoard.post("/executions/start", {});
  const { asset_id } = await upload(
    onBoard,
    { ...uploadRequest, file_name: "private.bin" },
    "where the first owner lives",
  );
  expect((await onBoard.post(`/executions/${flight.id}/complete`, { status: "completed" })).status).toBe(200);
  const buyer = await gateway.newUser();
  await gateway.deps.db("drones").where({ id: sold.id }).update({ user_id: buyer.id });

  expect((await buyer.api.get(`/assets/${sold.id}`)).body.data).toEqual([]);
  expect((await buyer.api.get(`/assets/${sold.id}/download/${asset_id}`)).status).toBe(404);
  expect((await buyer.api.post(`/assets/${sold.id}/delete`, { ids: [asset_id] })).body).toMatchObject({
    data: { deleted: [] },
  });
  expect((await buyer.api.get(`/executions/vehicle/${sold.id}`)).body.data.total).toBe(0);
  expect(await gateway.deps.db("assets").where({ id: asset_id }).first("status")).toEqual({
    status: "ready",
  });
});
