import { createServer } from "node:http";
import { closeServer, listen } from "../../http/server/listen";
import { atEndOfFile } from "../../testing/clean-up";
import { testExamples } from "../../testing/contract/examples";
import { freshJanus } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { JanusRooms } from "../../testing/worlds/janus-rooms";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

let janus: Awaited<ReturnType<typeof freshJanus>>;
let rooms: JanusRooms;
let gateway: TestGateway;

beforeAll(async () => {
  janus = await freshJanus();
  rooms = new JanusRooms(janus);
  gateway = await startTestGateway({
    JANUS_URL: janus.url,
    JANUS_API_SECRET: janus.apiSecret,
    JANUS_ADMIN_KEY: janus.adminKey,
  });
});

interface Drone {
  readonly id: number;
  readonly ip: string;
  readonly video_room_token: string;
}

async function owned(): Promise<{ user: TestUser; drone: Drone; ask: (what: string) => Promise<Reply> }> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Copter", vehicle_type: "copter" });
  return { user, drone: body, ask: (what) => user.api.get(`/video_room/${body.id}/${what}`) };
}
type Reply = Awaited<ReturnType<TestUser["api"]["get"]>>;

/** A drone's computer, as far as its two topics go. */
async function onboard({ ip }: Pick<Drone, "ip">) {
  const redis = gateway.deps.redis.duplicate({ enableOfflineQueue: true });
  atEndOfFile(async () => redis.disconnect());
  const received: { topic: string; message: Record<string, unknown> }[] = [];
  redis.on("message", (channel: string, text: string) =>
    received.push({ topic: channel.slice(ip.length + 1), message: JSON.parse(text) }),
  );
  await redis.subscribe(`${ip}:video_room_details`, `${ip}:video_room_state`);
  return received;
}

const canManage = async (room: number, secret: unknown) =>
  (await rooms.ask({ request: "edit", room, secret })).error_code === undefined;

describe("a room", () => {
  test("is made by its drone with the drone's id and the stated parameters", async () => {
    const { drone } = await owned();
    const reply = await gateway.api.as(drone.video_room_token).post("/video_room", { room_number: drone.id });
    expect(reply).toMatchObject({ status: 200, body: { room_number: drone.id } });
    expect(await rooms.find(drone.id)).toMatchObject({
      bitrate: 6_000_000,
      bitrate_cap: true,
      videocodec: "h264",
      record: false,
      max_publishers: 1,
      pin_required: true,
    });
    expect(await canManage(drone.id, reply.body.room_mgmt_token)).toBe(true);
    expect(await canManage(drone.id, "another secret")).toBe(false);
  });

  test("that is there is used again, with the same keys", async () => {
    const { drone, ask } = await owned();
    const ofDrone = gateway.api.as(drone.video_room_token);
    const first = await ofDrone.post("/video_room", { room_number: drone.id });
    const again = await ofDrone.post("/video_room", { room_number: drone.id });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect((await ask("start")).body.room_password).toBe(first.body.room_password);
  });

  test("with its number and no secret is replaced", async () => {
    const { drone, ask } = await owned();
    await rooms.ask({ request: "create", room: drone.id, publishers: 7 });
    expect((await ask("start")).status).toBe(200);
    expect(await rooms.find(drone.id)).toMatchObject({ max_publishers: 1, pin_required: true });
  });

  test("with its number and another secret is answered with 400 and stays", async () => {
    const { drone, ask } = await owned();
    await rooms.ask({ request: "create", room: drone.id, secret: "theirs" });
    expect(await ask("start")).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("not ours") },
    });
    expect(await canManage(drone.id, "theirs")).toBe(true);
  });

  test("is one room with one set of keys for concurrent starts", async () => {
    const { drone, ask } = await owned();
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask("start")));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(replies.map(({ body }) => body.room_password)).size).toBe(1);
    expect((await rooms.list()).filter(({ room }) => room === drone.id)).toHaveLength(1);
  });

  test("ends when its drone is deleted", async () => {
    const { user, drone, ask } = await owned();
    await ask("start");
    expect(await rooms.find(drone.id)).toBeDefined();
    await user.api.delete(`/drone/${drone.id}`);
    await until(async () => (await rooms.find(drone.id)) === undefined);
  });
});

describe("the drone", () => {
  test("gets the keys of a new room and the start of the stream; with update it gets the keys again", async () => {
    const { drone, ask } = await owned();
    const received = await onboard(drone);
    const reply = await ask("start");
    expect(reply).toMatchObject({ status: 200, body: { room_number: drone.id, listeners: 1 } });
    await until(() => received.length === 2);
    const details = received[0]?.message;
    expect(received[0]?.topic).toBe("video_room_details");
    expect(Object.keys(details ?? {})).toEqual(["room_number", "room_password", "room_mgmt_token", "status"]);
    expect(details).toMatchObject({
      room_number: drone.id,
      room_password: reply.body.room_password,
      status: "START",
    });
    expect(await canManage(drone.id, details?.room_mgmt_token)).toBe(true);
    expect(received[1]).toEqual({
      topic: "video_room_state",
      message: { room_number: drone.id, status: "START" },
    });
    await ask("start");
    await ask("start?update=true");
    await until(() => received.length === 5);
    expect(received.slice(2).map(({ topic }) => topic)).toEqual([
      "video_room_state",
      "video_room_details",
      "video_room_state",
    ]);
    expect(received[3]?.message).toEqual(details);
  });

  test("gets the stop, and its room is deleted; the next room has another password", async () => {
    const { drone, ask } = await owned();
    const received = await onboard(drone);
    const first = await ask("start");
    expect((await ask("stop")).status).toBe(200);
    expect(await rooms.find(drone.id)).toBeUndefined();
    await until(() => received.at(-1)?.message.status === "STOP");
    const second = await ask("start");
    expect(second.body.room_password).not.toBe(first.body.room_password);
    expect((await ask("stop")).status).toBe(200);
    expect((await ask("stop")).status).toBe(200);
  });

  test("gets a restart as stop, a pause, new keys and start", async () => {
    const { drone, ask } = await owned();
    const first = await ask("start");
    const received = await onboard(drone);
    const begun = Date.now();
    const reply = await ask("restart");
    expect(Date.now() - begun).toBeGreaterThanOrEqual(300);
    expect(reply.status).toBe(200);
    expect(reply.body.room_password).not.toBe(first.body.room_password);
    await until(() => received.length === 3);
    expect(received.map(({ topic, message }) => [topic, message.status])).toEqual([
      ["video_room_state", "STOP"],
      ["video_room_details", "START"],
      ["video_room_state", "START"],
    ]);
  });

  test("that is simulated gets its room before it is armed", async () => {
    const user = await gateway.newUser();
    const drone = await simulatedDrone(user.api);
    const received = await onboard(drone);
    expect((await user.api.post("/drone/action/arm", { drone_id: drone.id })).status).toBe(200);
    expect(received.map(({ topic }) => topic)).toEqual(["video_room_details"]);
    expect(await rooms.find(drone.id)).toBeDefined();
  });
});

describe("the media server", () => {
  test("may restart and lose our session, which is then created again", async () => {
    const first = await freshJanus();
    const other = await startTestGateway({
      JANUS_URL: first.url,
      JANUS_API_SECRET: first.apiSecret,
      JANUS_ADMIN_KEY: first.adminKey,
    });
    const user = await other.newUser();
    const { body } = await user.api.post("/drone", { type: "sitl", name: "C", vehicle_type: "copter" });
    const start = () => user.api.get(`/video_room/${body.id}/start`);
    expect((await start()).status).toBe(200);
    await first.stop();
    expect((await start()).status).toBe(400);
    const second = await freshJanus(first.port);
    expect((await start()).status).toBe(200);
    expect(await new JanusRooms(second).find(body.id)).toBeDefined();
    await second.stop();
    await freshJanus(first.port);
    expect((await user.api.get(`/video_room/${body.id}/restart`)).status).toBe(200);
  });

  test("that hangs gives a 400 with a reason within three seconds, and does not prevent arming", async () => {
    const hanging = createServer(() => undefined);
    const url = await listen(hanging, 0, "127.0.0.1");
    atEndOfFile(() => {
      hanging.closeAllConnections();
      return closeServer(hanging);
    });
    const other = await startTestGateway({ JANUS_URL: `${url}/janus` });
    const user = await other.newUser();
    const drone = await simulatedDrone(user.api);
    const begun = Date.now();
    const reply = await user.api.get(`/video_room/${drone.id}/start`);
    expect(Date.now() - begun).toBeLessThan(3_000);
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("in time") } });
    expect((await user.api.post("/drone/action/arm", { drone_id: drone.id })).status).toBe(200);
  });

  test("that is down gives a 400 with a reason", async () => {
    const other = await startTestGateway({ JANUS_URL: "http://127.0.0.1:9/janus" });
    const user = await other.newUser();
    const { body } = await user.api.post("/drone", { type: "sitl", name: "C", vehicle_type: "copter" });
    for (const what of ["start", "restart"]) {
      expect(await user.api.get(`/video_room/${body.id}/${what}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("cannot be reached") },
      });
    }
  });
});

testExamples(
  () => gateway.features.routes,
  [
    "POST /video_room",
    "GET /video_room/:drone_id/start",
    "GET /video_room/:drone_id/stop",
    "GET /video_room/:drone_id/restart",
  ],
);
