import { ApiClient } from "../../testing/client";
import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import { until } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

const PICTURES = 5_000;

let beside: TestGateway;
let gateway: GatewayProcess;
/** The way from the gateway to the store. */
let link: InterruptibleLink;
beforeAll(async () => {
  beside = await startTestGateway();
  link = await interruptibleLink(beside.deps.config.S3_ENDPOINT as string);
  gateway = await startGatewayProcess(beside, { S3_ENDPOINT: link.url });
});

const newVehicle = async ({ api }: TestUser): Promise<number> =>
  (await api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" })).body.id;

/** A drone that brought so many pictures back, all of one execution. */
async function photographed(user: TestUser, pictures: number) {
  const vehicle = await newVehicle(user);
  const { db } = beside.deps;
  const [execution] = await db("executions")
    .insert({ drone_id: vehicle, user_id: user.id, started_at: new Date() })
    .returning("id");
  await db.raw(
    `INSERT INTO assets (drone_id, user_id, execution_id, asset_type, file_name, status, thumbnail, size, url_expires_at)
    SELECT ?, ?, ?, 'image', 'DJI_' || n || '.jpg', 'ready', true, 1, now() FROM generate_series(1, ?) AS n`,
    [vehicle, user.id, execution.id, pictures],
  );
  return { vehicle, execution: execution.id as number };
}

test("5,000 pictures are listed, and others are served meanwhile", async () => {
  const [user, other] = [await beside.newUser(), await beside.newUser()];
  const { vehicle, execution } = await photographed(user, PICTURES);
  const probe = new ApiClient(gateway.url);
  const api = gateway.api.as(user.token);
  for (const [path, picturesOf] of [
    [`/assets/${vehicle}`, (data: unknown) => data],
    [`/executions/${execution}`, ({ assets }: { assets: unknown }) => assets],
  ] as const) {
    const asked = performance.now();
    const served = await probeDuring(probe, "/healthz", () =>
      probeDuring(gateway.api.as(other.token), "/missions", () => api.get(path)),
    );
    const took = performance.now() - asked;
    const { result: others, slowestMs, failed } = served;
    const listed = picturesOf(others.result.body.data) as { thumbnail_url: string }[];
    expect(listed).toHaveLength(PICTURES);
    expect(new Set(listed.map(({ thumbnail_url }) => thumbnail_url)).size).toBe(PICTURES);
    expect([failed, others.failed]).toEqual([0, 0]);
    // Nearly all of it is the signing of addresses.
    expect(slowestMs).toBeLessThan(took / 2);
    expect(others.slowestMs).toBeLessThan(took / 2);
  }
}, 120_000);

test("sixteen lists of 20,000 unfinished uploads at once have their newest rows, in bounded memory", async () => {
  const user = await beside.newUser();
  const { vehicle, execution } = await photographed(user, 20_000);
  await beside.deps.db("assets").where({ drone_id: vehicle }).update({ status: "pending", size: null });
  const api = gateway.api.as(user.token);
  const lengths = await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      const { body } = await api.get(n % 2 ? `/assets/${vehicle}?limit=20000` : `/executions/${execution}`);
      return (body.data.assets ?? body.data).length;
    }),
  );
  expect(new Set(lengths)).toEqual(new Set([PICTURES]));
  const { body } = await api.get(`/assets/${vehicle}?limit=2&offset=19999`);
  expect(body.data).toHaveLength(1);
  expect(gateway.memory().peak).toBeLessThan(600);
}, 120_000);

/** The path of a video's playlist, which the store has. */
async function filmed(user: TestUser): Promise<string> {
  const vehicle = await newVehicle(user);
  const { db, store } = beside.deps;
  const [{ id }] = await db("assets")
    .insert({
      drone_id: vehicle,
      user_id: user.id,
      asset_type: "video",
      file_name: "a.mp4",
      status: "ready",
      stream: "ready",
      url_expires_at: new Date(),
    })
    .returning("id");
  const type = "application/vnd.apple.mpegurl";
  await store.write(`assets/${vehicle}/${id}/derived/hls/index.m3u8`, "#EXTM3U\n#EXT-X-ENDLIST\n", type);
  return `/assets/${vehicle}/video/${id}`;
}

test("while the object store does not answer, only requests for videos wait", async () => {
  const [first, ...users] = await Promise.all([1, 2, 3, 4, 5].map(() => beside.newUser()));
  const films = await Promise.all(users.map(async (user) => ({ user, path: await filmed(user) })));
  link.stall();
  let played = 0;
  const plays = films.map(async ({ user, path }) => {
    const { status } = await gateway.api.as(user.token).get(path);
    played += 1;
    return status;
  });
  await until(() => link.connections >= films.length);
  for (const path of ["/missions", "/drones"])
    expect((await gateway.api.as((first as TestUser).token).get(path)).status).toBeLessThan(300);
  expect(played).toBe(0);
  link.mend();
  expect(await Promise.all(plays)).toEqual([200, 200, 200, 200]);
});
