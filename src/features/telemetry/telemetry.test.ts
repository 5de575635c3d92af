import { offsetBy } from "../../domain/geo";
import { atEndOfFile } from "../../testing/clean-up";
import { Metrics } from "../../testing/scrape";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { gatewayWithDrone } from "../../testing/worlds/flown-drone";
import { type SimulatedDrone, simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestSimulator } from "../../testing/worlds/simulator";
import {
  startTestGateway,
  TEST_JWT_SECRET,
  type TestGateway,
  type TestUser,
} from "../../testing/worlds/start-gateway";
import { Tokens } from "../accounts";
import { STREAMS, TELEMETRY_TYPES } from "./streams";

let gateway: TestGateway;
let user: TestUser;
let drone: SimulatedDrone;

beforeAll(async () => {
  ({ gateway, user, drone } = await gatewayWithDrone());
});

const watchers = new Set<TestWatcher>();
const watch = (token = user.token) => {
  const watcher = new TestWatcher(gateway.url, token);
  watchers.add(watcher);
  return watcher;
};
afterEach(() => {
  for (const { socket } of watchers) socket.disconnect();
  watchers.clear();
});
const metric = async (name: string, labels?: Record<string, string>) =>
  new Metrics(await gateway.deps.registry.metrics()).value(name, labels);
const framesSent = (type: string) => metric("fleet_telemetry_frames_total", { type });
const subscribed = () => metric("fleet_telemetry_drones");

const expired = () =>
  new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 11 * 60_000) }).pair(user.id).access_token;

describe("the handshake", () => {
  test("welcomes a signed-in user by id", async () => {
    const watcher = watch();
    expect(await watcher.next("connected")).toEqual({ status: "connected", user_id: user.id });
  });

  test("works over long polling too", async () => {
    const watcher = new TestWatcher(gateway.url, user.token, { transports: ["polling"] });
    watchers.add(watcher);
    expect(await watcher.next("connected")).toEqual({ status: "connected", user_id: user.id });
    await watcher.subscribe(drone.id, "relalt");
    await watcher.next("telemetry_data");
  });

  test.each([
    ["no token", () => undefined],
    ["an empty token", () => ""],
    ["nonsense", () => "nonsense"],
    ["an expired token", expired],
    ["a refresh token", () => gateway.features.account.tokens.pair(user.id).refresh_token],
    ["a password-reset token", () => gateway.features.account.tokens.reset(user.username)],
    ["a mail's verification token", () => gateway.features.account.tokens.verification(user.username)],
  ])("answers %s with an error, then hangs up", async (_name, token) => {
    const watcher = new TestWatcher(gateway.url, token());
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("token") });
    await eventually("it hung up", () => watcher.socket.disconnected);
    expect(watcher.all("connected")).toEqual([]);
  });

  test("accepts a logged-out token in the contract profile", async () => {
    const other = await gateway.newUser();
    await other.api.delete("/logout");
    expect(await watch(other.token).next("connected")).toMatchObject({ user_id: other.id });
  });
});

describe("a stream", () => {
  test.each(STREAMS)("of %s is confirmed, left, and confirmed again", async (stream_type) => {
    const watcher = watch();
    await watcher.subscribe(drone.id, stream_type);
    await watcher.unsubscribe(drone.id, stream_type);
    expect(watcher.all("subscription_confirmed")).toEqual([
      { status: "subscribed", stream_type, drone_id: drone.id },
      { status: "unsubscribed", stream_type, drone_id: drone.id },
    ]);
    expect(watcher.all("error")).toEqual([]);
  });

  test.each([
    ["gps", ["gps"]],
    ["relalt", ["relalt"]],
    ["system", ["diagnostics", "system"]],
    ["mission", ["mission"]],
  ])("of %s carries its own types only", async (stream, types) => {
    const watcher = watch();
    await watcher.subscribe(drone.id, stream);
    for (const type of types) await eventually(`a ${type} frame`, () => watcher.frames(type).length >= 2);
    expect(new Set(watcher.frames().map(({ type }) => type))).toEqual(new Set(types));
    expect(new Set(watcher.frames().map(({ drone_id }) => drone_id))).toEqual(new Set([drone.id]));
  });

  test("of the dashboard carries every type, positions with the yaw of the HUD", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "dashboard");
    await user.api.post("/drone/action/arm", { drone_id: drone.id });
    const { param_total } = (await user.api.post(`/drone/${drone.id}/params/pull`)).body;
    await eventually("a frame of every type", () =>
      TELEMETRY_TYPES.every((type) => watcher.frames(type).length > 0),
    );
    await eventually("a position with yaw", () => watcher.frames("gps").some(({ data }) => "yaw" in data));
    const { data: position } = watcher.frames("gps").at(-1);
    expect(position.yaw).toBeCloseTo(watcher.frames("hud").at(-1).data.heading, -1);
    expect(position.latitude).toBeCloseTo(drone.vehicle.state.position.lat, 3);
    const read = { received: param_total, total: param_total };
    await eventually(
      "the end of the list",
      () => watcher.frames("params").at(-1).data.received === param_total,
    );
    expect(watcher.frames("params").at(-1).data).toEqual(read);
    await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
  });

  test.each([
    ["copter", "ardupilot"],
    ["copter", "px4"],
    ["rover", "px4"],
  ] as const)(
    "of the mission shows the progress of a %s of %s from its upload to its end",
    async (kind, autopilot) => {
      const { api, token } = await gateway.newUser();
      const flown = await simulatedDrone(api, { autopilot, kind });
      const isRover = kind === "rover";
      const watcher = watch(token);
      await watcher.subscribe(flown.id, "mission");
      const newest = () => watcher.frames("mission").at(-1)?.data;
      await eventually("no mission", () => newest()?.state === "none");
      expect(newest()).toEqual({ item: null, items: 0, distance: null, state: "none", writes: 0 });
      const { home } = flown.vehicle.state;
      const { id: mission_id } = (await api.post("/mission", { name: `For ${autopilot}` })).body;
      for (const [index, north] of [40, 400].entries()) {
        const altitude = isRover ? 0 : 20;
        const point = { mission_id, ...offsetBy(home, north, 0), altitude, type: "fly", sequence: index };
        await api.post("/mission/point", [point]);
      }
      const order = async (path: string, fields = {}) =>
        expect(await api.post(`/drone/action/${path}`, { drone_id: flown.id, ...fields })).toMatchObject({
          status: 200,
        });
      await order("push_mission", { mission_id });
      // The takeoff that the gateway adds for a copter is the first.
      const items = isRover ? 2 : 3;
      await eventually("the mission", () => newest()?.items === items);
      const atItsStart = { item: 1, items, distance: null, state: "not_started" };
      expect(newest()).toEqual({ ...atItsStart, writes: 1 });
      await order("push_mission", { mission_id });
      await eventually("the second transfer", () => newest()?.writes === 2);
      expect(newest()).toMatchObject(atItsStart);
      await order("guided");
      await order("arm");
      await order("start_mission", isRover ? {} : { takeoff_altitude: 10 });
      await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
      await eventually("the last item", () => newest()?.item === items && newest().distance > 5);
      expect(newest().state).toBe("flying");
      expect(newest().distance).toBeLessThan(365);
      await eventually("the end", () => newest()?.state === "complete");
    },
  );

  test("of the dashboard begins with home for a late watcher", async () => {
    const early = watch();
    await early.subscribe(drone.id, "dashboard");
    await eventually("home", () => early.frames("home").length > 0);
    const late = watch();
    await late.subscribe(drone.id, "dashboard");
    await late.next("telemetry_data");
    expect(late.frames()[0]).toEqual(early.frames("home").at(-1));
  });

  test("of logs carries the vehicle's status texts", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "logs");
    await user.api.post("/drone/action/arm", { drone_id: drone.id });
    await eventually("a log", () => watcher.frames("logs").length > 0);
    expect(watcher.frames().every(({ type }) => type === "logs")).toBe(true);
    expect(watcher.frames()[0].data).toEqual({ severity: expect.any(Number), text: expect.any(String) });
    await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
  });

  test("reaches a watcher of two streams once", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "relalt");
    await watcher.subscribe(drone.id, "dashboard");
    watcher.clear();
    const before = await framesSent("relalt");
    await eventually("ten frames", () => watcher.frames("relalt").length >= 10);
    expect(watcher.frames("relalt").length).toBeLessThanOrEqual((await framesSent("relalt")) - before + 1);
  });

  test("is limited to ten frames a second of each type", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "dashboard");
    await watcher.next("telemetry_data");
    const before = watcher.frames("imu").length;
    const since = performance.now();
    await eventually("twenty frames", () => watcher.frames("imu").length - before >= 20);
    expect(performance.now() - since).toBeGreaterThan(1_700);
  });
});

describe("a request that cannot be met", () => {
  test.each([
    ["nothing", undefined, "payload"],
    ["a text", "gps", "payload"],
    ["a list", [1, "gps"], "payload"],
    ["no drone", { stream_type: "gps" }, "drone_id"],
    ["a drone that is no number", { drone_id: "x", stream_type: "gps" }, "drone_id"],
    ["an unknown stream", { drone_id: 1, stream_type: "radar" }, "stream_type"],
    ["a drone that is not there", { drone_id: 2_000_000_000, stream_type: "gps" }, "no drone 2000000000"],
  ])("such as %s is answered with an error, and the socket stays open", async (_name, payload, message) => {
    const watcher = watch();
    watcher.socket.emit("subscribe_telemetry", payload);
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining(message) });
    await watcher.subscribe(drone.id, "gps");
    expect(watcher.all("subscription_confirmed")).toHaveLength(1);
  });

  test("such as a flood is refused beyond the limit, and every request is answered", async () => {
    const watcher = watch();
    await watcher.next("connected");
    const payload = { drone_id: drone.id, stream_type: "logs" };
    for (let n = 0; n < 400; n++) watcher.socket.emit("subscribe_telemetry", payload);
    const confirmed = () => watcher.all("subscription_confirmed").length;
    const refused = () => watcher.all("error").length;
    await eventually("400 answers", () => confirmed() + refused() === 400);
    expect(confirmed()).toBeGreaterThanOrEqual(100);
    expect(refused()).toBeGreaterThan(0);
    expect(watcher.all("error")[0]).toEqual({ message: expect.stringContaining("Too many") });
  });

  test("such as too large a message ends the socket and nothing else", async () => {
    const [careless, other] = [watch(), watch()];
    await Promise.all([careless.next("connected"), other.subscribe(drone.id, "relalt")]);
    careless.socket.emit("subscribe_telemetry", { drone_id: drone.id, stream_type: "x".repeat(100_000) });
    await eventually("it was ended", () => careless.socket.disconnected);
    other.clear();
    await other.next("telemetry_data");
  });
});

describe("the vehicle subscription", () => {
  beforeEach(() => eventually("nobody watches", async () => (await metric("fleet_telemetry_sockets")) === 0));

  test("is one for any number of watchers, and ends with the last of them", async () => {
    const subscribe = jest.spyOn(gateway.deps.links, "subscribe");
    const twenty = Array.from({ length: 20 }, () => watch());
    await Promise.all(twenty.map((watcher) => watcher.subscribe(drone.id, "dashboard")));
    await Promise.all(twenty.map((watcher) => watcher.next("telemetry_data", 5)));
    expect(subscribe).toHaveBeenCalledTimes(1);
    expect(await subscribed()).toBe(1);
    const [first, ...others] = twenty as [TestWatcher, ...TestWatcher[]];
    for (const watcher of others) watcher.socket.disconnect();
    await eventually("the others are gone", async () => (await metric("fleet_telemetry_sockets")) === 1);
    first.clear();
    await first.next("telemetry_data");
    await first.unsubscribe(drone.id, "dashboard");
    expect(await subscribed()).toBe(0);
    expect(await metric("fleet_telemetry_rooms")).toBe(0);
    subscribe.mockRestore();
  });

  test("stays for the watcher of another stream", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "gps");
    await watcher.subscribe(drone.id, "relalt");
    await watcher.unsubscribe(drone.id, "gps");
    watcher.clear();
    await watcher.next("telemetry_data", 3);
    expect(watcher.frames("gps")).toEqual([]);
  });

  test("comes back by itself when the vehicle hung up", async () => {
    const watcher = watch();
    await watcher.subscribe(drone.id, "relalt");
    await watcher.next("telemetry_data");
    drone.vehicle.disconnect();
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("cannot be reached") });
    watcher.clear();
    await watcher.next("telemetry_data", 3);
  });

  test("of an unreachable vehicle sends an error to present and later watchers", async () => {
    const other = await gateway.newUser();
    const unreachable = await simulatedDrone(other.api);
    await unreachable.stop();
    const watcher = watch(other.token);
    await watcher.subscribe(unreachable.id, "gps");
    expect(watcher.all("subscription_confirmed")).toHaveLength(1);
    expect(await watcher.next("error")).toEqual({
      message: expect.stringContaining(`Drone ${unreachable.id}`),
    });
    const late = watch(other.token);
    await late.subscribe(unreachable.id, "gps");
    expect(await late.next("error")).toEqual({ message: expect.stringContaining("cannot be reached") });
  });

  test("ends with the drone, and its watchers get one error", async () => {
    const other = await gateway.newUser();
    const deleted = await simulatedDrone(other.api);
    const watcher = watch(other.token);
    await watcher.subscribe(deleted.id, "gps");
    await watcher.subscribe(deleted.id, "dashboard");
    await watcher.next("telemetry_data");
    expect((await other.api.delete(`/drone/${deleted.id}`)).status).toBe(201);
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("deleted") });
    expect(await subscribed()).toBe(0);
    watcher.socket.emit("subscribe_telemetry", { drone_id: deleted.id, stream_type: "gps" });
    await watcher.next("error", 2);
    expect(watcher.all("error")[1].message).toContain("no drone");
  });

  test("continues at the drone's new address", async () => {
    const other = await gateway.newUser();
    const moving = await simulatedDrone(other.api);
    const watcher = watch(other.token);
    await watcher.subscribe(moving.id, "relalt");
    await watcher.next("telemetry_data");
    const elsewhere = await startTestSimulator([{ kind: "copter", bootSeconds: 8 }]);
    atEndOfFile(() => elsewhere.stop());
    const moved = await other.api.put(`/drone/${moving.id}`, { port: elsewhere.vehicle.port });
    expect(moved.status).toBe(201);
    watcher.clear();
    await watcher.next("telemetry_data", 3);
    expect(watcher.all("error")).toEqual([]);
  });
});

test("any signed-in user may watch any drone in the contract profile", async () => {
  const watcher = watch((await gateway.newUser()).token);
  await watcher.subscribe(drone.id, "gps");
  await watcher.next("telemetry_data");
});

test("with DO_UNSUBSCRIBE off the vehicle subscription outlives its watchers, and serves the next ones", async () => {
  const keeping = await startTestGateway({ DO_UNSUBSCRIBE: "false" });
  const owner = await keeping.newUser();
  const kept = await simulatedDrone(owner.api);
  const subscribe = jest.spyOn(keeping.deps.links, "subscribe");
  const watcher = new TestWatcher(keeping.url, owner.token);
  await watcher.subscribe(kept.id, "relalt");
  await watcher.next("telemetry_data");
  await watcher.unsubscribe(kept.id, "relalt");
  watcher.clear();
  const next = new TestWatcher(keeping.url, owner.token);
  await next.subscribe(kept.id, "relalt");
  await next.next("telemetry_data", 3);
  expect(watcher.frames()).toEqual([]);
  expect(subscribe).toHaveBeenCalledTimes(1);
});

describe("in the strict profile", () => {
  let strict: TestGateway;
  beforeAll(async () => {
    strict = await startTestGateway({ ACCESS_PROFILE: "strict", EDGE_SECRET: "a secret of the edge's own" });
  });

  test("only the owner may watch, and another user does not learn whether the drone exists", async () => {
    const [owner, otherUser] = await Promise.all([strict.newUser(), strict.newUser()]);
    const owned = await simulatedDrone(owner.api);
    const [mine, theirs] = [owner, otherUser].map(({ token }) => new TestWatcher(strict.url, token));
    await mine?.subscribe(owned.id, "gps");
    await mine?.next("telemetry_data");
    await theirs?.subscribe(owned.id, "gps");
    expect(theirs?.all("error")).toEqual([{ message: `There is no drone ${owned.id} that you may watch.` }]);
    expect(theirs?.frames()).toEqual([]);
  });

  test("a token that was logged out is refused", async () => {
    const user = await strict.newUser();
    await user.api.delete("/logout");
    const watcher = new TestWatcher(strict.url, user.token);
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("logged out") });
    await eventually("it hung up", () => watcher.socket.disconnected);
  });
});

test("a gateway that stops sends its watchers away", async () => {
  const stopping = await startTestGateway();
  const owner = await stopping.newUser();
  const watcher = new TestWatcher(stopping.url, owner.token);
  await watcher.next("connected");
  await stopping.lifecycle.stop("the test says so");
  await eventually("it was sent away", () => watcher.socket.disconnected);
});
