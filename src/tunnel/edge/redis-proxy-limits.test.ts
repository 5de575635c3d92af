import { setTimeout as delay } from "node:timers/promises";
import { encodeCommand as command } from "../../platform/redis/resp";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { DRONE_IP, type RedisEdge, startRedisEdge } from "../../testing/worlds/redis-edge";

let world: RedisEdge;

beforeAll(async () => {
  world = await startRedisEdge();
});
afterEach(() => world.closeConnections());

test("the edge does not read from a drone while Redis does not read, and all commands arrive afterwards", async () => {
  const link = await interruptibleLink(world.url);
  const behind = await world.edgeTo(link.url, { bytesPerSecond: 1e9 });
  await until(async () => (await world.answered(DRONE_IP, command("PING"), behind)) === "+PONG\r\n");
  const drone = world.connectTo(DRONE_IP, behind);
  drone.socket.write(command("PING"));
  await until(() => drone.said() !== "");
  link.stall();
  const said = command("PUBLISH", `${DRONE_IP}:output`, "x".repeat(32_768));
  for (let sent = 0; sent < 1_200; sent++) drone.socket.write(said);
  let waiting = -1;
  // Nothing goes for a second: the system's own buffers are full too.
  await until(async () => {
    waiting = drone.socket.writableLength;
    await delay(1_000);
    return waiting === drone.socket.writableLength;
  });
  expect(waiting).toBeGreaterThan(10_000_000);
  link.mend();
  await until(() => drone.said().match(/:\d+\r\n/g)?.length === 1_200);
});

test("a drone has eight connections to Redis; a ninth is closed, and counted", async () => {
  const drones = Array.from({ length: 8 }, () => world.connectTo(DRONE_IP));
  for (const { socket } of drones) socket.write(command("PING"));
  await until(() => drones.every(({ said }) => said() === "+PONG\r\n"));
  const ninth = world.connectTo(DRONE_IP);
  await until(() => ninth.socket.closed);
  expect(await world.edge.metrics()).toMatch(
    /fleet_edge_refusals_total\{service="redis",reason="too_many_connections",process="test"\} 1/,
  );
});

test("a drone that does not read what it subscribed to is cut", async () => {
  const drone = await world.say(DRONE_IP, command("SUBSCRIBE", `${DRONE_IP}:gamepad_input`));
  await until(() => drone.said().includes("subscribe"));
  drone.socket.pause();
  const frame = "x".repeat(65_536);
  let sent = 0;
  while (sent < 1_000 && (await world.admin.publish(`${DRONE_IP}:gamepad_input`, frame)) > 0) sent++;
  expect(sent).toBeLessThan(1_000);
  expect(await world.edge.metrics()).toMatch(
    /fleet_edge_refusals_total\{service="redis",reason="not_reading",process="test"\} 1/,
  );
});

test("a drone's connections together send so many bytes a second, and each command counts as 512 at least", async () => {
  const slow = await world.edgeTo(world.url, { bytesPerSecond: 5_120 });
  await until(async () => (await world.answered(DRONE_IP, command("PING"), slow)) === "+PONG\r\n");
  const [one, other] = [world.connectTo(DRONE_IP, slow), world.connectTo(DRONE_IP, slow)];
  const began = performance.now();
  one.socket.write(Buffer.concat(Array.from({ length: 20 }, () => command("PING"))));
  await until(() => one.said() === "+PONG\r\n".repeat(20));
  other.socket.write(command("PING"));
  await until(() => other.said() === "+PONG\r\n");
  one.socket.write(command("PING"));
  await until(() => one.said() === "+PONG\r\n".repeat(21));
  expect(performance.now() - began).toBeGreaterThan(900);
});
