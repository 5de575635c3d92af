import sharp from "sharp";
import { freshObjects } from "../../testing";
import { until } from "../../testing/until";
import { type Flight, startFlight } from "../../testing/worlds/flights";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { put, sha256, upload } from "../../testing/worlds/uploads";

jest.setTimeout(90_000);

let gateway: TestGateway;
/** Each reaches the same store at an address of its own. */
let ours: InterruptibleLink;
let users: InterruptibleLink;
let drones: InterruptibleLink;
let flight: Flight;
beforeAll(async () => {
  const store = await freshObjects("fleet", "fleet-vpn");
  [ours, users, drones] = await Promise.all([
    interruptibleLink(store.url),
    interruptibleLink(store.url),
    interruptibleLink(store.url),
  ]);
  gateway = await startTestGateway({
    WORKER_IN_PROCESS: "true",
    S3_ENDPOINT: ours.url,
    S3_PUBLIC_ENDPOINT: users.url,
    S3_DRONE_ENDPOINT: drones.url,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  });
  flight = await startFlight(gateway);
});

const origin = (url: string) => new URL(url).origin;
const elsewhere = (url: string, at: InterruptibleLink) => url.replace(origin(url), origin(at.url));
const assets = async () => (await flight.user.api.get(`/assets/${flight.vehicle.id}`)).body.data;
const uploadRequest = (content: string) => ({
  file_name: `${content}.bin`,
  asset_type: "logs",
  checksum: sha256(content),
});

test("a URL is signed for its audience's address of the store, and invalid at the others", async () => {
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#246" } })
    .png()
    .toBuffer();
  const { asset_id, url, completed } = await upload(
    flight.drone,
    { file_name: "a.png", asset_type: "image" },
    picture,
  );
  expect(completed.status).toBe(200);
  expect(origin(url)).toBe(origin(drones.url));
  expect(await put(elsewhere(url, users), "forged")).toBe(403);
  const path = `/assets/${flight.vehicle.id}/download/${asset_id}`;
  const { download_url } = (await flight.user.api.get(path)).body;
  expect(origin(download_url)).toBe(origin(users.url));
  expect(Buffer.from(await (await fetch(download_url)).arrayBuffer())).toEqual(picture);
  expect((await fetch(elsewhere(download_url, drones))).status).toBe(403);
  const thumbnail = await until(async () => (await assets())[0].thumbnail_url ?? false);
  expect(origin(thumbnail)).toBe(origin(users.url));
});

test("an upload stays pending while the store is unavailable, and is completed afterwards", async () => {
  const { asset_id, url } = (await flight.drone.post("/authenticate_upload", uploadRequest("blackout"))).body;
  await put(url, "blackout");
  ours.cut();
  try {
    const refused = await flight.drone.post("/complete_upload", { asset_id });
    expect(refused).toMatchObject({
      status: 500,
      body: { success: false, error: { code: 500, message: expect.stringContaining("object store") } },
    });
    expect((await assets()).find(({ id }: { id: number }) => id === asset_id).status).toBe("pending");
    // Requests that need only a signature still work.
    expect((await flight.drone.post("/authenticate_upload", uploadRequest("blackout"))).body.asset_id).toBe(
      asset_id,
    );
  } finally {
    ours.mend();
  }
  expect((await flight.drone.post("/complete_upload", { asset_id })).status).toBe(200);
});

test("assets deleted while the store is unavailable lose their rows at once, and their objects afterwards", async () => {
  const { asset_id } = await upload(flight.drone, uploadRequest("deleted"), "deleted");
  ours.cut();
  try {
    const reply = await flight.user.api.post(`/assets/${flight.vehicle.id}/delete`, { ids: [asset_id] });
    expect(reply).toMatchObject({ status: 200, body: { data: { deleted: [asset_id] } } });
  } finally {
    ours.mend();
  }
  const { store, db } = gateway.deps;
  const key = `assets/${flight.vehicle.id}/${asset_id}/deleted.bin`;
  expect(await store.head(key)).toMatchObject({ size: "deleted".length });
  await db.raw("UPDATE graphile_worker._private_jobs SET run_at = now()");
  await until(async () => (await store.head(key)) === undefined, 60_000);
});
