import { type GatewayProcess, startGatewayProcess } from "../../testing/programs/gateway-process";
import { type RawClient, rawClient, rawFrame, upgradeRequest } from "../../testing/raw-http";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startTestGateway, type TestUser } from "../../testing/worlds/start-gateway";

let gateway: GatewayProcess;
let user: TestUser;
let drone: number;
beforeAll(async () => {
  const beside = await startTestGateway();
  gateway = await startGatewayProcess(beside);
  user = await beside.newUser();
  drone = (await user.api.post("/drone", { type: "sitl", name: "watched", vehicle_type: "copter" })).body.id;
});

const ended = async (reason: string) =>
  (await scrape(gateway.url)).value("fleet_telemetry_ended_sockets_total", { reason });

const text = (payload: string) => rawFrame({ first: 0x81, payload: Buffer.from(payload) });

/** Engine.IO's connection, which nobody has joined by. */
async function connected(): Promise<RawClient> {
  const caller = await rawClient(
    gateway.port,
    upgradeRequest(`/socket.io/?EIO=4&transport=websocket&token=${user.token}`),
  );
  await until(() => caller.received().includes('"sid"'));
  return caller;
}

/** Writes these again and again, as fast as they are taken, and reads nothing, until it is hung up on. */
async function flood({ socket, closed }: RawClient, frame: Buffer): Promise<void> {
  const many = Buffer.concat(Array(3_000).fill(frame));
  socket.pause();
  while (!socket.destroyed) {
    const taken = new Promise<void>((resolve) => socket.write(many, () => resolve()));
    await Promise.race([taken, closed]);
  }
}

/** Another client stays connected and gets its answers meanwhile. */
async function served(work: () => Promise<void>): Promise<void> {
  const watcher = new TestWatcher(gateway.url, user.token, { transports: ["websocket"] });
  await watcher.next("connected");
  await work();
  watcher.socket.emit("subscribe_telemetry", { drone_id: drone, stream_type: "gps" });
  expect(await watcher.next("subscription_confirmed")).toMatchObject({ drone_id: drone });
  expect(watcher.all("connected")).toHaveLength(1);
  watcher.socket.disconnect();
}

/** What one process may grow by for what one connection leaves unread, megabytes. */
const GROWTH = 150;

test("a connection that sends WebSocket pings and reads nothing is closed", async () => {
  // Empty ones cost the most for their bytes.
  for (const ping of [
    rawFrame({ first: 0x89, payload: Buffer.alloc(0) }),
    rawFrame({ first: 0x89, payload: Buffer.alloc(125) }),
  ]) {
    const memory = gateway.memory().now;
    await served(async () => flood(await connected(), ping));
    expect(gateway.memory().now - memory).toBeLessThan(GROWTH);
  }
});

test.each([
  ["joins", "connects to a namespace that does not exist, again and again,", text("40/x,"), false],
  ["joins", "connects to the namespace again and again", text("40"), false],
  [
    "unread_answers",
    "sends invalid subscriptions again and again",
    text('42["subscribe_telemetry",0]'),
    true,
  ],
] as const)("%s: a connection that %s and reads nothing is closed", async (reason, _name, frame, joined) => {
  const [memory, before] = [gateway.memory().now, await ended(reason)];
  await served(async () => {
    const caller = await connected();
    if (joined) {
      caller.socket.write(text("40"));
      await until(() => caller.received().includes("connected"));
    }
    await flood(caller, frame);
  });
  expect(await ended(reason)).toBe(before + 1);
  expect(gateway.memory().now - memory).toBeLessThan(GROWTH);
});

test("a polling client that sends events and never polls for the answers is disconnected", async () => {
  const before = await ended("unread_answers");
  const url = `${gateway.url}/socket.io/?EIO=4&transport=polling&token=${user.token}`;
  const post = (sid: string, packets: string[]) =>
    fetch(`${url}&sid=${sid}`, { method: "POST", body: packets.join("\x1e") });
  const { sid } = JSON.parse((await (await fetch(url)).text()).slice(1));
  await post(sid, ["40"]);
  await until(async () => (await (await fetch(`${url}&sid=${sid}`)).text()).includes("connected"));
  const asks = Array(400).fill('42["subscribe_telemetry",0]');
  await until(async () => (await post(sid, asks)).status === 400);
  expect(await ended("unread_answers")).toBe(before + 1);
});

test("a client that sends 3,000 events and reads the answers keeps its connection", async () => {
  const caller = await connected();
  caller.socket.write(text("40"));
  await until(() => caller.received().includes("connected"));
  const answers = () => caller.received().split('42["error"').length - 1;
  for (let asked = 0; asked < 3_000; asked += 500) {
    caller.socket.write(Buffer.concat(Array(500).fill(text('42["subscribe_telemetry",0]'))));
    await until(() => answers() === asked + 500);
  }
  caller.socket.destroy();
});
