import { setTimeout as delay } from "node:timers/promises";
import { decode, type JwtPayload, sign } from "jsonwebtoken";
import { type Balancer, startBalancer } from "../../testing/fakes/balancer";
import { countingDrone, frameNumberOf } from "../../testing/fakes/counting-vehicle";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import {
  startReplicas,
  type TappedDrone,
  type TestReplicas,
  tappedDrone,
} from "../../testing/worlds/replicas";

import {
  startTestGateway,
  TEST_JWT_SECRET,
  type TestGateway,
  type TestUser,
} from "../../testing/worlds/start-gateway";

/** A greeting takes milliseconds; a busy machine is given some more. */
const AT_ONCE_MS = 1_500;

let replicas: TestReplicas;
let balancer: Balancer;

beforeAll(async () => {
  replicas = await startReplicas({ TELEMETRY_MAX_HZ: "1000" });
  balancer = await startBalancer();
});

/** Long enough for a busy machine to subscribe meanwhile. */
const SHORT_SECONDS = 5;

/** A watcher that comes back by itself, as browsers do. */
const reconnectingWatcher = (user: TestUser, transport: "websocket" | "polling", url = balancer.url) =>
  new TestWatcher(url, user.token, {
    transports: [transport],
    reconnection: true,
    reconnectionDelay: 100,
    reconnectionDelayMax: 300,
  });

async function watched(gateway: TestGateway): Promise<{ user: TestUser; drone: TappedDrone }> {
  const user = await gateway.newUser();
  return { user, drone: await tappedDrone(user) };
}

/** A new user of `gateway` that watches the altitude of its drone, by the balancer. */
async function watchingAltitude(gateway: TestGateway) {
  const { user, drone } = await watched(gateway);
  balancer.to(gateway.url);
  const watcher = reconnectingWatcher(user, "websocket");
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  return { user, drone, watcher };
}

/** Off the network for two seconds, then back by way of another target. */
async function dropped(
  watcher: TestWatcher,
  to: string,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const connections = watcher.all("connected").length;
  balancer.to(undefined);
  balancer.cut();
  await delay(2_000);
  await meanwhile();
  watcher.clear();
  balancer.to(to);
  await watcher.next("connected", connections === 0 ? 0 : 1);
}

describe.each(["websocket", "polling"] as const)(
  "by %s, a client that was off the network for two seconds",
  (transport) => {
    test.each(["the same replica", "another replica"])(
      "is in its rooms again at %s, gets home first, and gets no frame that it missed",
      async (where) => {
        const { first, second } = replicas;
        const { user, drone } = await watched(first);
        const steady = new TestWatcher(first.url, user.token);
        await steady.subscribe(drone.id, "dashboard");
        await steady.next("telemetry_data");
        balancer.to(first.url);
        const watcher = reconnectingWatcher(user, transport);
        await watcher.subscribe(drone.id, "dashboard");
        await watcher.subscribe(drone.id, "logs");
        await eventually(
          "home and more",
          () => watcher.frames("home").length > 0 && watcher.frames().length > 10,
        );
        steady.clear();
        await dropped(watcher, where === "another replica" ? second.url : first.url);
        const missed = steady.frames("relalt").length;
        await eventually("frames come again", () => watcher.frames("relalt").length > 3);
        expect(watcher.socket.recovered).toBe(true);
        expect(watcher.frames()[0].type).toBe("home");
        expect(watcher.all("subscription_confirmed")).toEqual([]);
        expect(watcher.all("error")).toEqual([]);
        // Two seconds of a dashboard are a hundred frames and more: no missed frame is sent now.
        expect(missed).toBeGreaterThanOrEqual(8);
        expect(watcher.frames("relalt").length).toBeLessThan(missed);
        const home = watcher.frames("home").length;
        expect(home).toBeLessThanOrEqual(2);
        watcher.clear();
        steady.clear();
        await eventually("ten frames at both", () =>
          [watcher, steady].every((one) => one.frames("relalt").length >= 10),
        );
        expect(
          Math.abs(watcher.frames("relalt").length - steady.frames("relalt").length),
        ).toBeLessThanOrEqual(8);
      },
    );

    test.each(["the same replica", "another replica"])(
      "gets the newest frame at %s at once, and no older one",
      async (where) => {
        const { first, second } = replicas;
        const user = await first.newUser();
        const { id, vehicle } = await countingDrone(user.api, 5);
        const steady = new TestWatcher(first.url, user.token);
        await steady.subscribe(id, "relalt");
        balancer.to(first.url);
        const watcher = reconnectingWatcher(user, transport);
        await watcher.subscribe(id, "relalt");
        await watcher.next("telemetry_data", 3);
        const before = vehicle.newest;
        await dropped(watcher, where === "another replica" ? second.url : first.url, async () => {
          vehicle.pause();
          await eventually("all is heard", () => frameNumberOf(steady.frames().at(-1)) === vehicle.newest);
        });
        const backAt = performance.now();
        await watcher.next("telemetry_data");
        expect(performance.now() - backAt).toBeLessThan(AT_ONCE_MS);
        expect(vehicle.newest).toBeGreaterThan(before + 1);
        const newest = vehicle.newest;
        vehicle.resume();
        await watcher.next("telemetry_data", 6);
        const received = watcher.frames().map(frameNumberOf);
        expect(received[0]).toBe(newest);
        expect(received).toEqual([...new Set(received)].sort((a, b) => a - b));
        expect(watcher.all("subscription_confirmed")).toEqual([]);
      },
    );
  },
);

test("a client of a replica that stops reconnects to another by itself", async () => {
  const { first, second } = await startReplicas();
  const { watcher } = await watchingAltitude(first);
  balancer.to(second.url);
  await first.lifecycle.stop("the test says so");
  watcher.clear();
  await watcher.next("telemetry_data", 3);
  expect(watcher.all("subscription_confirmed")).toEqual([]);
});

test("a client of a single gateway is in its rooms again after it reconnects", async () => {
  const gateway = await startTestGateway();
  const { watcher } = await watchingAltitude(gateway);
  await dropped(watcher, gateway.url);
  await watcher.next("telemetry_data", 3);
});

test("a stream that a client left is not restored when it reconnects", async () => {
  const { first, second } = replicas;
  const { user, drone } = await watched(first);
  balancer.to(first.url);
  const watcher = reconnectingWatcher(user, "websocket");
  await watcher.subscribe(drone.id, "gps");
  await watcher.subscribe(drone.id, "relalt");
  await watcher.unsubscribe(drone.id, "gps");
  await dropped(watcher, second.url);
  await watcher.next("telemetry_data", 3);
  expect(watcher.frames("gps")).toEqual([]);
});

test("access to the drone is checked again when a client reconnects", async () => {
  const { first, second } = replicas;
  const { user, drone, watcher } = await watchingAltitude(first);
  const gone = dropped(watcher, second.url);
  await eventually("it is off the network", () => watcher.socket.disconnected);
  expect((await user.api.delete(`/drone/${drone.id}`)).status).toBe(201);
  await gone;
  expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("no drone") });
  expect(watcher.frames()).toEqual([]);
});

test("a client with an expired token is refused, and is in its rooms again with a new token", async () => {
  const { first, second } = replicas;
  const { user, drone } = await watched(first);
  const exp = Math.ceil(Date.now() / 1_000) + SHORT_SECONDS;
  const token = sign({ ...(decode(user.token) as JwtPayload), exp }, TEST_JWT_SECRET);
  balancer.to(first.url);
  const watcher = reconnectingWatcher({ ...user, token }, "websocket");
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data");
  await eventually("the token expires", () => Date.now() > exp * 1_000);
  watcher.clear();
  await watcher.next("telemetry_data");
  balancer.to(second.url);
  balancer.cut();
  expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("expired") });
  watcher.clear();
  watcher.socket.io.opts.query = { token: user.token };
  watcher.socket.connect();
  await watcher.next("telemetry_data", 3);
  expect(watcher.all("connected")).toEqual([{ status: "connected", user_id: user.id }]);
  expect(watcher.all("subscription_confirmed")).toEqual([]);
});

test("another user's recovery ticket restores no rooms", async () => {
  const { first, second } = replicas;
  const { watcher } = await watchingAltitude(first);
  const otherUser = await first.newUser();
  watcher.socket.io.opts.query = { token: otherUser.token };
  await dropped(watcher, second.url);
  expect(watcher.all("connected")).toEqual([{ status: "connected", user_id: otherUser.id }]);
  // The other user's socket is served in order: were there a room, its frames would come before the answer.
  await watcher.subscribe(2_000_000_000, "gps");
  expect(watcher.frames()).toEqual([]);
});
