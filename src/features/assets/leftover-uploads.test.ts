import sharp from "sharp";
import type { Clock } from "../../platform/process/clock";
import { startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { put } from "../../testing/worlds/uploads";
import { type Execution, findExecution } from "../executions/executions.store";
import { renderReport } from "../executions/report/render";
import { assetFolder, uploadFolder } from "./asset-names";
import { removeLeftoversTask } from "./leftover-uploads";
import { makeThumbnailTask } from "./thumbnail";

const HOUR_MS = 3_600_000;

let square: Buffer;
let gateway: TestGateway;
beforeAll(async () => {
  const red = { width: 8, height: 8, channels: 3, background: "red" } as const;
  square = await sharp({ create: red }).png().toBuffer();
  gateway = await startTestGateway();
});

const log = (file_name: string) => ({ file_name, asset_type: "logs" });

async function newDrone() {
  const flight = await startFlight(gateway);
  const begin = async (request: object): Promise<{ asset_id: number; url: string }> =>
    (await flight.drone.post("/authenticate_upload", request)).body;
  const complete = async (asset_id: number) =>
    (await flight.drone.post("/complete_upload", { asset_id })).status;
  /** Keys of an asset's objects, and of its upload's. */
  const keys = async (asset_id: number) => {
    const asset = { drone_id: flight.vehicle.id, id: asset_id };
    const lists = [assetFolder(asset), uploadFolder(asset)].map((prefix) => gateway.deps.store.list(prefix));
    return (await Promise.all(lists)).flat().map(({ key }) => key);
  };
  const remove = async (asset_id: number) =>
    (await flight.user.api.post(`/assets/${flight.vehicle.id}/delete`, { ids: [asset_id] })).status;
  return { ...flight, begin, complete, keys, remove };
}

const removeLeftoversIn = (hours: number) => {
  const clock: Clock = { now: () => new Date(Date.now() + hours * HOUR_MS) };
  return removeLeftoversTask({ ...gateway.deps, clock })({}, new AbortController().signal);
};

test("a completed upload leaves one object, at a key that its URL does not write", async () => {
  const { begin, complete, keys, vehicle } = await newDrone();
  const { asset_id, url } = await begin(log("flown.bin"));
  expect(await put(url, "content")).toBe(200);
  expect(await keys(asset_id)).toEqual([`uploads/${vehicle.id}/${asset_id}/content`]);
  expect(await complete(asset_id)).toBe(200);
  expect(await keys(asset_id)).toEqual([`assets/${vehicle.id}/${asset_id}/flown.bin`]);
});

test("uploads that were not completed, or came after the completion or the deletion, are deleted a day after their URL ended", async () => {
  const { begin, complete, keys, remove, vehicle } = await newDrone();
  const [unfinished, again, late] = [await begin(log("1")), await begin(log("2")), await begin(log("3"))];
  for (const { url } of [unfinished, again]) await put(url, "content");
  expect(await complete(again.asset_id)).toBe(200);
  await put(again.url, "another");
  expect(await remove(late.asset_id)).toBe(200);
  await put(late.url, "content");
  const left = async () =>
    (await Promise.all([unfinished, again, late].map((it) => keys(it.asset_id)))).flat();
  await removeLeftoversIn(25);
  expect(await left()).toHaveLength(4);
  await removeLeftoversIn(27);
  expect(await left()).toEqual([`assets/${vehicle.id}/${again.asset_id}/2`]);
});

test("an upload that failed counts as stored until it is deleted", async () => {
  const { drone, begin, complete, user } = await newDrone();
  const { asset_id, url } = await begin({ ...log("a.bin"), checksum: "0".repeat(64) });
  await put(url, "content");
  expect(await complete(asset_id)).toBe(400);
  const stored = async () =>
    (await user.api.get("/user/quotas")).body.data.find(({ quota }: never) => quota === "stored_bytes").used;
  await gateway.deps.db("assets").where({ id: asset_id }).update({ url_expires_at: new Date() });
  await removeLeftoversIn(25);
  expect(await stored()).toBe("content".length);
  await removeLeftoversIn(27);
  expect(await stored()).toBe(0);
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(400);
});

test("an upload is not completed more than a day after its URL ended", async () => {
  const { begin, complete, drone } = await newDrone();
  const { url, asset_id } = await begin(log("late"));
  await put(url, "content");
  await gateway.deps
    .db("assets")
    .where({ id: asset_id })
    .update({ url_expires_at: new Date(0) });
  expect(await drone.post("/complete_upload", { asset_id })).toMatchObject({
    ...{ status: 400, body: { error: { message: expect.stringContaining("upload the file again") } } },
  });
  await put((await begin(log("late"))).url, "content");
  expect(await complete(asset_id)).toBe(200);
});

test.each(["begun", "completed"])(
  "an asset that is %s and then deleted leaves no job and no object",
  async (state) => {
    const { begin, complete, keys, remove, vehicle } = await newDrone();
    const { asset_id, url } = await begin(log("a.bin"));
    await put(url, "content");
    if (state === "completed") await complete(asset_id);
    expect(await remove(asset_id)).toBe(200);
    expect(await keys(asset_id)).toEqual([]);
    const jobs = await gateway.deps
      .db("graphile_worker._private_jobs")
      .whereRaw("payload::text LIKE ?", [`%/${vehicle.id}/${asset_id}/%`]);
    expect(jobs).toEqual([]);
  },
);

test("an asset that is deleted while its upload is copied leaves no object", async () => {
  const { begin, complete, keys, remove } = await newDrone();
  const { asset_id, url } = await begin(log("a.bin"));
  await put(url, "content");
  const { store } = gateway.deps;
  const copy = jest.spyOn(store, "copy").mockImplementationOnce(async (...args) => {
    expect(await remove(asset_id)).toBe(200);
    return store.copy(...args);
  });
  // Its bytes are still there for the copy when the store is slow to delete them.
  const deletion = jest.spyOn(store, "deletePrefix").mockRejectedValueOnce(new Error("slow"));
  await complete(asset_id);
  deletion.mockRestore();
  copy.mockRestore();
  expect(await keys(asset_id)).toEqual([]);
});

test("an upload that is replaced between its check and its copy is not completed", async () => {
  const { begin, complete, keys, drone, vehicle } = await newDrone();
  const { asset_id, url } = await begin(log("a.bin"));
  await put(url, "checked");
  const { store } = gateway.deps;
  const copy = jest.spyOn(store, "copy").mockImplementationOnce(async (...args) => {
    await put(url, "another");
    return store.copy(...args);
  });
  expect(await drone.post("/complete_upload", { asset_id })).toMatchObject({
    ...{ status: 400, body: { error: { message: expect.stringContaining("was replaced while") } } },
  });
  copy.mockRestore();
  expect(await keys(asset_id)).toEqual([`uploads/${vehicle.id}/${asset_id}/content`]);
  expect(await complete(asset_id)).toBe(200);
});

test("an upload that is begun again while its content is copied is another one", async () => {
  const { begin, complete, keys, drone } = await newDrone();
  const { asset_id, url } = await begin(log("a.bin"));
  await put(url, "earlier");
  const { store } = gateway.deps;
  const copy = jest.spyOn(store, "copy").mockImplementationOnce(async (...args) => {
    const version = await store.copy(...args);
    const again = await begin({ ...log("a.bin"), size: "content".length });
    expect(again.asset_id).toBe(asset_id);
    await put(again.url, "content");
    return version;
  });
  expect(await drone.post("/complete_upload", { asset_id })).toMatchObject({
    ...{ status: 400, body: { error: { message: expect.stringContaining("was replaced while") } } },
  });
  copy.mockRestore();
  expect(await complete(asset_id)).toBe(200);
  const [key = "", ...others] = await keys(asset_id);
  expect(others).toEqual([]);
  expect((await store.readSmall(key)).toString()).toBe("content");
});

test("the copy of a completion that broke off is deleted with the upload", async () => {
  const { begin, complete, keys, vehicle } = await newDrone();
  const { asset_id, url } = await begin(log("a.bin"));
  await put(url, "content");
  const { store, db } = gateway.deps;
  const copy = jest.spyOn(store, "copy").mockImplementationOnce(async (...args) => {
    await store.copy(...args);
    throw new Error("the gateway was killed");
  });
  expect(await complete(asset_id)).toBe(500);
  copy.mockRestore();
  expect(await keys(asset_id)).toHaveLength(2);
  // Another completion need not read it again.
  expect(await db("assets").where({ id: asset_id }).first("checked")).toMatchObject({
    checked: { size: "content".length },
  });
  await db("assets").where({ id: asset_id, drone_id: vehicle.id }).update({ url_expires_at: new Date() });
  await removeLeftoversIn(27);
  expect(await keys(asset_id)).toEqual([]);
});

test("what is put to the URL of a completed upload is read nowhere, also by links of before", async () => {
  const { begin, complete, drone, user, vehicle, id } = await newDrone();
  const begun = await begin({ ...log("a.bin"), execution_id: id });
  const taken = await begin({ file_name: "a.png", asset_type: "image", execution_id: id });
  await put(begun.url, "x");
  await put(taken.url, square);
  for (const { asset_id } of [begun, taken]) expect(await complete(asset_id)).toBe(200);
  await drone.post(`/executions/${id}/log`, { asset_id: begun.asset_id });
  const link = async () =>
    (await user.api.get(`/assets/${vehicle.id}/download/${begun.asset_id}`)).body.download_url;
  const inReport = async () => {
    const execution = (await findExecution(gateway.deps.db, id)) as Execution;
    const origin = "https://fleet.example";
    const { inline, text } = await renderReport({ ...gateway.deps, origin }, execution);
    return { pictures: inline.map((part) => part.id), links: text.match(/http\S+a\.(png|bin)\?\S+/g) ?? [] };
  };
  const before = await link();
  const report = await inReport();
  for (const { url } of [begun, taken]) expect(await put(url, Buffer.alloc(20_000_000))).toBe(200);
  await makeThumbnailTask(gateway.deps)({ asset_id: taken.asset_id }, new AbortController().signal);
  for (const one of [before, await link()]) expect(await (await fetch(one)).text()).toBe("x");
  const sizes = async (links: readonly string[]) =>
    Promise.all(links.map(async (one) => (await (await fetch(one)).arrayBuffer()).byteLength));
  expect(await sizes(report.links)).toEqual([1, square.length]);
  const later = await inReport();
  expect(later.pictures).toEqual([`asset-${taken.asset_id}`]);
  expect(await sizes(later.links)).toEqual([1, square.length]);
});
