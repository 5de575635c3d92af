import type { Page, WebSocketRoute } from "playwright-core";
import { type Onboard, startOnboard } from "../../../onboard";
import { loadConfig, onboardConfig } from "../../../platform/config";
import { atEndOfFile } from "../../../testing";
import { scrape } from "../../../testing/scrape";
import { eventually } from "../../../testing/until";
import type { SimulatedDrone } from "../../../testing/worlds/simulated-drone";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { consoleTests, relayedWorld } from "../console-world";
import { button, flyPage, namedDrone, order, reading } from "./fly-page";

const at = consoleTests(relayedWorld);

interface StickFrame {
  readonly t: number;
  readonly session: string;
  readonly axes: Readonly<Record<"roll" | "pitch" | "throttle" | "yaw", number>>;
  readonly buttons: readonly boolean[];
}

/** The gamepad that the page sees: what the test says of it. */
interface ScriptedPad {
  axes: number[];
  buttons: boolean[];
  connected: boolean;
}
type WithPad = typeof globalThis & { pad: ScriptedPad };

let user: TestUser;
let drone: SimulatedDrone;
let page: Page;
/** A page with a drone of its own and a gamepad, whose sticks are let go; the panel of the sticks is shown. */
async function open(options: Parameters<typeof namedDrone>[2] = {}): Promise<void> {
  await at.window.context.addInitScript(() => {
    const pad: ScriptedPad = { axes: [0, 0, 0, 0], buttons: [false, false], connected: true };
    (globalThis as WithPad).pad = pad;
    navigator.getGamepads = () =>
      pad.connected
        ? [
            {
              ...{ index: 0, id: "Scripted pad", connected: true, mapping: "standard", timestamp: 0 },
              axes: pad.axes,
              buttons: pad.buttons.map((pressed) => ({ pressed, touched: pressed, value: Number(pressed) })),
            } as unknown as Gamepad,
          ]
        : [];
  });
  user = await at.world.gateway.newUser();
  drone = await namedDrone(user.api, "Heron", options);
  page = await flyPage(at.world, at.window, user, drone);
  await button(page, "Sticks").click();
}

const setPad = (changes: Partial<ScriptedPad>) =>
  page.evaluate((changes) => void Object.assign((globalThis as WithPad).pad, changes), changes);
const turnOn = () => button(page, "Turn on").click();
const stateText = (text: string | RegExp) =>
  page.locator(".sticks-state").filter({ hasText: text }).waitFor();

/** The frames that arrive in Redis for the drone. */
async function framesInRedis(): Promise<StickFrame[]> {
  const redis = await at.world.relay.redis();
  const frames: StickFrame[] = [];
  redis.on("message", (_channel, text) => frames.push(JSON.parse(text)));
  await redis.subscribe(`${drone.ip}:gamepad_input`);
  return frames;
}

test("frames of a gamepad arrive as they are held, twenty a second, with the drone's answers in view, until it is unplugged; its settings are kept", async () => {
  await open();
  const frames = await framesInRedis();
  await setPad({ axes: [0, 0, 0.9, 0] });
  await turnOn();
  await stateText("Let go of the sticks once to begin.");
  expect(frames).toEqual([]);
  await setPad({ axes: [0, 0, 0, 0] });
  await stateText("On.");
  await setPad({ axes: [1, -1, 0.04, -0.54], buttons: [false, true] });
  await eventually("a frame of the held sticks", () => frames.at(-1)?.axes.throttle === 1);
  const { axes, buttons, session, t } = frames.at(-1) as StickFrame;
  // Half of the way beyond the dead band of 8 %, bent by an expo of 30 %.
  expect(axes).toEqual({ roll: 0, pitch: expect.closeTo(0.3875, 3), throttle: 1, yaw: 1 });
  expect(buttons).toEqual([false, true]);
  expect(new Set(frames.map((frame) => frame.session))).toEqual(new Set([session]));

  const redis = await at.world.relay.redis();
  const answer = { type: "ack", session, t, accepted: true, reason: null, age_ms: 47, state: "steering" };
  await redis.publish(`${drone.ip}:output`, JSON.stringify({ ...answer, mode: "LOITER", armed: true }));
  await redis.publish(`${drone.ip}:output`, "<no message>");
  await reading(page, "Age").filter({ hasText: "47 ms" }).waitFor();
  await reading(page, "Drone").filter({ hasText: "steering" }).waitFor();
  await reading(page, "Sticks")
    .filter({ hasText: /\d ms|none/ })
    .waitFor();

  const [first, last] = [frames[0] as StickFrame, frames.at(-1) as StickFrame];
  const perSecond = ((frames.length - 1) * 1_000) / (last.t - first.t);
  expect(perSecond).toBeGreaterThan(10);
  // A busy browser sends what is due when it gets to it.
  expect(perSecond).toBeLessThan(25);
  await setPad({ connected: false });
  await stateText("Off. Released: there is no gamepad.");
  await eventually("no session is left", noSession);

  await setPad({ connected: true, axes: [0, 0, 0, 0] });
  await button(page, "Set up…").click();
  const dialog = page.getByRole("dialog", { name: "Set up the gamepad" });
  await dialog.getByLabel("Right", { exact: true }).selectOption({ label: "Axis 1" });
  await dialog.getByLabel("Inverted").first().check();
  await dialog.getByLabel("Dead band").fill("0");
  await dialog.getByLabel("Expo").fill("0");
  await button(page, "Calibrate").click();
  const shown = dialog.locator(".pad-axis output").first();
  for (const value of [0.5, -0.5, 0]) {
    await setPad({ axes: [value, 0, 0, 0] });
    await shown.filter({ hasText: value.toFixed(2) }).waitFor();
  }
  await button(page, "End the calibration").click();
  await button(page, "Close").click();
  await page.reload();
  await page.getByRole("heading", { name: "Heron" }).waitFor();
  await reading(page, "Link").first().filter({ hasText: "live" }).waitFor();
  await button(page, "Sticks").click();
  await turnOn();
  await stateText("On.");
  await setPad({ axes: [-0.25, 0, 0, 0] });
  await eventually("half of the way to the right", () => frames.at(-1)?.axes.roll === 0.5);
});

test("the sticks are released, and stay off, when the pilot cannot steer or cannot see the vehicle", async () => {
  await open();
  const frames = await framesInRedis();
  for (const [why, happen] of [
    ["the page was hidden", hide],
    ["the window lost the focus", () => dispatch("blur")],
    ["the network was lost", () => dispatch("offline")],
  ] as const) {
    const sent = frames.length;
    await turnOn();
    await eventually("frames come", () => frames.length > sent + 2);
    await happen();
    await stateText(`Off. Released: ${why}.`);
    await eventually("no session is left", noSession);
  }
  expect(new Set(frames.map(({ session }) => session)).size).toBe(3);

  await reading(page, "Link").first().filter({ hasText: "live" }).waitFor();
  await turnOn();
  await stateText("On.");
  await button(page, "Messages").click();
  await drone.stop();
  await button(page, /^Sticks/).click();
  await stateText("Off. Released: the vehicle was lost.");
});

/** Of the relay. */
const noSession = async () => (await scrape(at.world.relay.url)).value("fleet_relay_sessions") === 0;
const dispatch = (name: string) => page.evaluate((name) => void dispatchEvent(new Event(name)), name);
const hide = () =>
  page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    Object.defineProperty(document, "hidden", { value: false, configurable: true });
  });

test("the relay's close codes are told and followed, and a page that is left closes its socket", async () => {
  await open();
  const sockets: WebSocketRoute[] = [];
  let isClosed = false;
  await page.routeWebSocket(/\/redispad\//, (socket) => {
    isClosed = false;
    sockets.push(socket);
    socket.onClose(() => {
      isClosed = true;
    });
  });
  const opened = (count: number) => eventually("a socket", () => sockets.length === count);
  const close = (code: number) => sockets.at(-1)?.close({ code });
  await turnOn();
  await opened(1);
  await stateText("On.");
  await close(1013);
  await stateText("The relay or one of its services does not answer.");
  await opened(2);
  await stateText("On.");
  const refreshed = page.waitForResponse(/auth\/refresh/);
  await close(4401);
  await refreshed;
  await opened(3);
  await stateText("On.");
  await close(4429);
  await stateText("Off. Too many sessions of yours are open. Close another one.");
  await turnOn();
  await opened(4);
  await close(4403);
  await stateText("Off. The drone is another user's.");
  expect(sockets).toHaveLength(4);

  // What is left is released, too.
  await turnOn();
  await opened(5);
  await stateText("On.");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await eventually("the socket is closed", () => isClosed);
});

test("a copter is flown by the keyboard through the relay and the agent on board, and stops when the keys' page is left", async () => {
  await open({ onboardPort: 0 });
  const agent = await agentOf(drone);
  const give = (path: string, body = {}) =>
    user.api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
  await give("guided");
  await give("arm");
  await give("takeoff", { altitude: 20 });
  await eventually("it is up", () => drone.vehicle.state.relativeAltitude > 19);
  await page.getByLabel("Steer by").selectOption("keyboard");
  await turnOn();
  await reading(page, "Drone").filter({ hasText: "steering" }).waitFor();
  await page.getByRole("combobox", { name: "Flight mode" }).selectOption("LOITER");
  await button(page, "Set").click();
  await order(page, "Mode LOITER done").waitFor();
  await page.getByText("LOITER is flown by the sticks.").waitFor();
  await page.getByText("LOITER is flown by the sticks.").click();
  const from = drone.vehicle.state.position.lat;
  await page.keyboard.down("ArrowUp");
  await eventually("it flies north", async () => {
    // A busy machine delays frames, and the agent stops the vehicle then.
    if (drone.vehicle.state.mode === "BRAKE")
      await give("set_mode", { mode_info: { custom_mode: "LOITER" } });
    return drone.vehicle.state.position.lat > from + 5 / 111_320;
  });
  await page.keyboard.up("ArrowUp");
  await dispatch("blur");
  await eventually("the agent stops it", () => drone.vehicle.state.mode === "BRAKE");
  expect(drone.vehicle.state.relativeAltitude).toBeGreaterThan(15);
  expect(agent.sticks.state).not.toBe("steering");
}, 60_000);

/** On the drone's own computer. */
async function agentOf({ ip, vehicle }: SimulatedDrone): Promise<Onboard> {
  const agent = await startOnboard(
    loadConfig(onboardConfig, {
      DRONE_IP: ip,
      ONBOARD_PORT: "0",
      REDIS_URL: at.world.relay.redisUrl,
      ONBOARD_VEHICLE: `127.0.0.1:${vehicle.onboardPort}`,
      LOG_LEVEL: "silent",
    }),
  );
  atEndOfFile(() => agent.lifecycle.stop("the tests are over"));
  await eventually(
    "the agent hears both sides",
    () => agent.subscribed && agent.autopilot.vehicle !== undefined,
  );
  return agent;
}
