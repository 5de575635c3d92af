import { testExamples } from "../../testing/contract/examples";
import { answering, sendingCamera } from "../../testing/fakes/janus-peers";
import { freshJanus } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

let janus: Awaited<ReturnType<typeof freshJanus>>;
let env: Record<string, string>;
let gateway: TestGateway;

beforeAll(async () => {
  janus = await freshJanus();
  env = { JANUS_URL: janus.url, JANUS_API_SECRET: janus.apiSecret, JANUS_ADMIN_KEY: janus.adminKey };
  gateway = await startTestGateway({ ...env, QUOTA_VIDEO_VIEWERS: "5" });
});

interface Watched {
  readonly user: TestUser;
  readonly drone: { readonly id: number; readonly video_room_token: string };
  /** The path of the drone's viewers. */
  readonly viewers: string;
}

const sitl = async ({ api }: TestUser): Promise<Watched["drone"]> =>
  (await api.post("/drone", { type: "sitl", name: "Copter", vehicle_type: "copter" })).body;

async function owned(): Promise<Watched> {
  const user = await gateway.newUser();
  const drone = await sitl(user);
  return { user, drone, viewers: `/video_room/${drone.id}/viewers` };
}

/** Keys of the drone's room, which is made when it is not there. */
const details = async ({ drone }: Pick<Watched, "drone">) =>
  (await gateway.api.as(drone.video_room_token).post("/video_room", { room_number: drone.id })).body;

/** A drone whose camera sends. */
async function sending() {
  const watched = await owned();
  return { ...watched, camera: await sendingCamera(janus, await details(watched)) };
}

async function watching({ user, viewers }: Watched): Promise<string> {
  const { status, body } = await user.api.post(viewers);
  expect([status, body.error]).toEqual([201, undefined]);
  return `${viewers}/${body.viewer}`;
}

const error = (text: string | RegExp) => ({ error: expect.stringMatching(text) });

test("a viewer gets the video of the drone's camera, until it stops watching", async () => {
  const { user, viewers } = await sending();
  const { body } = await user.api.post(viewers);
  const answer = await answering(body.sdp);
  const at = `${viewers}/${body.viewer}`;
  expect((await user.api.post(`${at}/answer`, { sdp: answer.sdp })).status).toBe(200);
  await answer.received;
  expect((await user.api.post(`${at}/keepalive`)).status).toBe(200);
  expect((await user.api.delete(at)).status).toBe(200);
  expect(await user.api.post(`${at}/keepalive`)).toMatchObject({ status: 404, body: error(/has ended/) });
  expect((await user.api.delete(at)).status).toBe(200);
});

test("a drone whose stream was not started answers 404, and 409 until its camera sends", async () => {
  const { user, drone, viewers } = await owned();
  expect(await user.api.post(viewers)).toMatchObject({ status: 404, body: error(/Start it first/) });
  await user.api.get(`/video_room/${drone.id}/start`);
  expect(await user.api.post(viewers)).toMatchObject({ status: 409, body: error(/does not send yet/) });
  const camera = await sendingCamera(janus, await details({ drone }));
  expect((await user.api.post(viewers)).status).toBe(201);
  await camera.stop();
  expect((await user.api.post(viewers)).status).toBe(409);
  await user.api.get(`/video_room/${drone.id}/stop`);
  expect((await user.api.post(viewers)).status).toBe(404);
});

test("a viewer is served by every replica, and to nobody but its user and for its drone", async () => {
  const watched = await sending();
  const at = await watching(watched);
  const id = at.split("/").pop();
  const replica = await startTestGateway({
    ...{ ...env, DATABASE_URL: gateway.databaseUrl, REDIS_URL: gateway.redisUrl },
  });
  expect((await replica.api.as(watched.user.token).post(`${at}/keepalive`)).status).toBe(200);
  const [header, claims, signature] = id?.split(".") ?? [];
  const forged = Buffer.from(JSON.stringify({ ...JSON.parse(atob(claims ?? "")), session: 1 }));
  const other = await owned();
  for (const [{ api }, path] of [
    [other.user, at],
    [other.user, `${other.viewers}/${id}`],
    [watched.user, `${watched.viewers}/${header}.${forged.toString("base64url")}.${signature}`],
    [watched.user, `${watched.viewers}/${watched.user.token}`],
  ] as const) {
    expect((await api.post(`${path}/keepalive`)).status).toBe(404);
    expect((await api.delete(path)).status).toBe(404);
  }
  expect((await watched.user.api.post(`${at}/keepalive`)).status).toBe(200);
  // It has neither type nor subject.
  expect((await gateway.api.as(id).get("/user")).status).toBe(401);
});

test("an answer that is no session description is refused in the media server's words", async () => {
  const watched = await sending();
  const at = await watching(watched);
  expect(await watched.user.api.post(`${at}/answer`, { sdp: "nonsense" })).toMatchObject({
    status: 400,
    body: error(/^The media server refused: .*SDP/),
  });
});

test("beginning viewers and keeping them alive use up the quota", async () => {
  const watched = await sending();
  const at = await watching(watched);
  for (let uses = 1; uses < 5; uses++)
    expect((await watched.user.api.post(`${at}/keepalive`)).status).toBe(200);
  for (const path of [`${at}/keepalive`, watched.viewers]) {
    const reply = await watched.user.api.post(path);
    expect(reply).toMatchObject({ status: 429, body: error(/video_viewers/) });
  }
  const { body } = await watched.user.api.get("/user/quotas");
  expect(body.data).toContainEqual(expect.objectContaining({ quota: "video_viewers", used: 5, limit: 5 }));
});

test("after a restart of the media server viewers have ended, and the stream is started in a new room", async () => {
  const first = await freshJanus();
  const other = await startTestGateway({ ...env, JANUS_URL: first.url });
  const user = await other.newUser();
  const { id, ip, video_room_token } = (
    await user.api.post("/drone", { type: "sitl", name: "C", vehicle_type: "copter" })
  ).body;
  const viewers = `/video_room/${id}/viewers`;
  const open = () => other.api.as(video_room_token).post("/video_room", { room_number: id });
  const room = (await open()).body;
  await sendingCamera(first, room);
  const at = await watching({ user, drone: { id, video_room_token }, viewers });
  await first.stop();
  expect(await user.api.post(`${at}/keepalive`)).toMatchObject({ status: 400, body: error(/reached/) });
  expect(await user.api.post(viewers)).toMatchObject({ status: 400, body: error(/reached/) });
  const second = await freshJanus(first.port);
  expect((await user.api.post(`${at}/keepalive`)).status).toBe(404);
  const told: string[] = [];
  const redis = other.deps.redis.duplicate({ enableOfflineQueue: true });
  redis.on("message", (channel, text) => told.push(`${channel.slice(ip.length + 1)} ${text}`));
  await redis.subscribe(`${ip}:video_room_details`, `${ip}:video_room_state`);
  expect((await user.api.post(viewers)).status).toBe(409);
  await until(() => told.length === 2);
  redis.disconnect();
  expect(told[0]).toMatch(/^video_room_details .*START/);
  expect(told[0]).not.toContain(room.room_password);
  expect(told[1]).toMatch(/^video_room_state .*START/);
  await sendingCamera(second, (await open()).body);
  expect((await user.api.post(viewers)).status).toBe(201);
});

testExamples(
  () => gateway.features.routes,
  [
    "POST /video_room/:drone_id/viewers",
    "POST /video_room/:drone_id/viewers/:viewer/answer",
    "POST /video_room/:drone_id/viewers/:viewer/keepalive",
    "DELETE /video_room/:drone_id/viewers/:viewer",
  ],
);
