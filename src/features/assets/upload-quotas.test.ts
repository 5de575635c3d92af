import type { Task } from "../../platform/jobs/worker";
import { until } from "../../testing/until";
import { startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { put, sha256, upload } from "../../testing/worlds/uploads";
import { executionTasks } from "../executions";
import { uploadKey } from "./asset-names";
import { ContentReader } from "./content-reader";
import { UploadChecks } from "./upload-checks";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    ...{
      QUOTA_PENDING_ASSETS: "3",
      QUOTA_ASSETS: "4",
      QUOTA_UPLOAD_BYTES: "1000",
      QUOTA_STORED_BYTES: "1500",
    },
  });
});

const log = (file_name: string) => ({ file_name, asset_type: "logs", checksum: null });

async function newDrone() {
  const flight = await startFlight(gateway);
  const assets = async () => (await flight.user.api.get(`/assets/${flight.vehicle.id}`)).body.data;
  const ask = (name: string, size?: number) =>
    flight.drone.post("/authenticate_upload", { ...log(name), ...(size && { size }) });
  const used = async (...quotas: string[]) => {
    const { data } = (await flight.user.api.get("/user/quotas")).body;
    return quotas.map((name) => data.find(({ quota }: { quota: string }) => quota === name).used);
  };
  return { ...flight, assets, ask, used };
}

const refusedBy = (quota: string) => ({
  status: 429,
  body: { success: false, error: { code: 429, message: expect.stringContaining(`quota ${quota} `) } },
});

test("a drone has so many assets without their upload, and asks again for those", async () => {
  const { ask, drone, used } = await newDrone();
  for (const name of ["1", "2", "3"]) expect((await ask(name)).status).toBe(200);
  expect(await ask("4")).toMatchObject(refusedBy("pending_assets"));
  expect((await ask("2")).status).toBe(200);
  const many = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(`more ${n}`)));
  expect(new Set(many.map(({ status }) => status))).toEqual(new Set([429]));
  const { body } = await ask("2");
  await put(body.url, "content");
  expect((await drone.post("/complete_upload", { asset_id: body.asset_id })).status).toBe(200);
  expect((await ask("4")).status).toBe(200);
  expect(await used("pending_assets", "assets", "stored_bytes")).toEqual([3, 4, "content".length]);
});

test("an upload that failed is pending until its URL has expired, and its announced size counts", async () => {
  const { ask, drone, used } = await newDrone();
  for (const name of ["1", "2"]) await ask(name);
  const { asset_id } = (await ask("3", 900)).body;
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(400);
  expect(await ask("4")).toMatchObject(refusedBy("pending_assets"));
  expect(await ask("4", 700)).toMatchObject(refusedBy("stored_bytes"));
  expect(await used("pending_assets", "stored_bytes")).toEqual([3, 900]);
  await gateway.deps
    .db("assets")
    .where({ id: asset_id })
    .update({ url_expires_at: new Date(0) });
  expect(await used("pending_assets", "stored_bytes")).toEqual([2, 0]);
  expect((await ask("4", 700)).status).toBe(200);
  expect(await ask("5")).toMatchObject(refusedBy("pending_assets"));
});

test("a drone has so many assets", async () => {
  const { ask, drone } = await newDrone();
  for (const name of ["1", "2", "3", "4"]) await upload(drone, log(name), name);
  expect(await ask("5")).toMatchObject(refusedBy("assets"));
});

test("an upload beyond a quota is refused before it when its size is announced, and else deleted unread", async () => {
  const { ask, drone, assets, vehicle } = await newDrone();
  expect(await ask("announced", 1_001)).toMatchObject(refusedBy("upload_bytes"));
  const read = jest.spyOn(ContentReader.prototype, "read");
  const { asset_id, completed } = await upload(drone, log("large"), "x".repeat(1_001));
  expect(completed).toMatchObject(refusedBy("upload_bytes"));
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  expect(await assets()).toMatchObject([
    { id: asset_id, status: "failed", failure: expect.stringContaining("quota upload_bytes"), size: null },
  ]);
  const key = uploadKey({ drone_id: vehicle.id, id: asset_id });
  expect(await gateway.deps.store.head(key)).toBeUndefined();
});

test("an upload has at most 5 GiB, whatever the quotas", async () => {
  const { ask } = await newDrone();
  expect(await ask("large", 5 * 2 ** 30 + 1)).toMatchObject({
    ...{ status: 400, body: { error: { message: "An upload has at most 5 GiB." } } },
  });
});

test("a user stores so many bytes, on all drones together", async () => {
  const { ask, drone, user, assets } = await newDrone();
  await upload(drone, log("first"), "x".repeat(900));
  const { completed } = await upload(drone, log("second"), "x".repeat(700));
  expect(completed).toMatchObject(refusedBy("stored_bytes"));
  expect(await ask("announced", 700)).toMatchObject(refusedBy("stored_bytes"));
  const [, first] = await assets();
  await user.api.post(`/assets/${first.drone_id}/delete`, { ids: [first.id] });
  expect((await upload(drone, log("second"), "x".repeat(700))).completed.status).toBe(200);
});

test("an archive counts as stored until its execution is deleted, and no quota refuses it", async () => {
  const { drone, user, ask, used, vehicle, id } = await newDrone();
  const makeArchive = executionTasks(gateway.deps)["make-archive"] as Task;
  const archived = async () => {
    await user.api.post(`/executions/${id}/archive`);
    await makeArchive({ execution_id: id }, new AbortController().signal);
    return (await user.api.get(`/executions/${id}/archive`)).body;
  };
  const { asset_id } = await upload(drone, { ...log("flown"), execution_id: id }, "x".repeat(900));
  const { size } = await archived();
  expect(await used("stored_bytes")).toEqual([900 + size]);
  expect(await archived()).toMatchObject({ status: "ready" });
  await user.api.post(`/assets/${vehicle.id}/delete`, { ids: [asset_id] });
  expect(await used("stored_bytes")).toEqual([size]);
  expect(await ask("next")).toMatchObject(refusedBy("stored_bytes"));
  await user.api.delete(`/executions/${id}`);
  expect(await used("stored_bytes")).toEqual([0]);
  expect((await ask("next")).status).toBe(200);
});

test("uploads of a user's drones at once do not exceed the stored bytes together", async () => {
  const flights = await Promise.all([1, 2, 3, 4].map(newDrone));
  const ids = flights.map(({ vehicle }) => vehicle.id);
  await gateway.deps.db("drones").whereIn("id", ids).update({ user_id: flights[0]?.user.id });
  const statuses = async (replies: Promise<{ status: number }>[]) =>
    (await Promise.all(replies)).map(({ status }) => status).sort();
  const uploads = flights.map(({ drone }) => upload(drone, log("unannounced"), "x".repeat(900)));
  expect(await statuses(uploads.map(async (one) => (await one).completed))).toEqual([200, 429, 429, 429]);
  const announced = { ...log("announced"), size: 400 };
  const begun = flights.map(({ drone }) => drone.post("/authenticate_upload", announced));
  expect(await statuses(begun)).toEqual([200, 429, 429, 429]);
});

test("the store refuses an upload of another size than announced", async () => {
  const { ask, drone } = await newDrone();
  const { url, asset_id } = (await ask("sized", 7)).body;
  expect(new URL(url).searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;host");
  expect(await put(url, "x".repeat(8))).toBe(403);
  expect(await put(url, "x".repeat(6))).toBe(403);
  expect(await put(url, "content")).toBe(200);
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(200);
});

test("an object of another size than announced fails; a larger one is deleted", async () => {
  const { ask, drone, vehicle } = await newDrone();
  const { asset_id } = (await ask("sized", 7)).body;
  const key = uploadKey({ drone_id: vehicle.id, id: asset_id });
  const completed = async (content: string) => {
    await gateway.deps.store.write(key, content, "text/plain");
    return drone.post("/complete_upload", { asset_id });
  };
  const refused = (size: number) => ({
    status: 400,
    body: { error: { message: `The upload has ${size} bytes, not 7.` } },
  });
  expect(await completed("x".repeat(6))).toMatchObject(refused(6));
  expect(await completed("x".repeat(8))).toMatchObject(refused(8));
  expect(await gateway.deps.store.head(key)).toBeUndefined();
  expect((await completed("content")).status).toBe(200);
});

test("eight completions of one object with a wrong checksum read it once, and another checksum does not read it again", async () => {
  const { drone, assets, id } = await newDrone();
  const request = { ...log("wrong"), checksum: sha256("announced"), execution_id: id };
  const { url, asset_id } = (await drone.post("/authenticate_upload", request)).body;
  await put(url, "uploaded");
  const read = jest.spyOn(ContentReader.prototype, "read");
  const complete = () => drone.post("/complete_upload", { asset_id });
  const replies = await Promise.all(Array.from({ length: 8 }, complete));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
  expect(read).toHaveBeenCalledTimes(1);
  await drone.post("/authenticate_upload", { ...request, checksum: sha256("uploaded") });
  expect((await complete()).status).toBe(200);
  expect(read).toHaveBeenCalledTimes(1);
  expect(await assets()).toMatchObject([{ status: "ready", size: 8, sha256: sha256("uploaded") }]);
  read.mockRestore();
});

test("a drone's uploads are checked one at a time on all gateways, and another drone's beside them", async () => {
  const [one, other] = [await newDrone(), await newDrone()];
  const gateways = [new UploadChecks(gateway.deps.db), new UploadChecks(gateway.deps.db)];
  let [running, most, done] = [0, 0, 0];
  const check = async () => {
    most = Math.max(most, ++running);
    await gateway.deps.db.raw("SELECT pg_sleep(0.05)");
    running--;
    done++;
  };
  const all = gateways.flatMap((checks) => [1, 2, 3].map(() => checks.run(one.vehicle.id, check)));
  await until(() => running === 1);
  await gateways[0]?.run(other.vehicle.id, async () => expect(done).toBeLessThan(6));
  await Promise.all(all);
  expect([most, done]).toEqual([1, 6]);
});

test("announced sizes of pending uploads count as stored", async () => {
  const { ask } = await newDrone();
  expect((await ask("first", 900)).status).toBe(200);
  expect(await ask("second", 700)).toMatchObject(refusedBy("stored_bytes"));
  expect((await ask("first", 950)).status).toBe(200);
});
