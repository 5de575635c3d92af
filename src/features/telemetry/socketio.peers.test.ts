import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../platform/process/version";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

/** Everything that python-socketio's client received, in order. */
async function watch(token: string, droneId: number, transport: "websocket" | "polling") {
  const interpreter = process.env.PEERS_PYTHON;
  if (!interpreter) throw new Error("Run these tests by `npm run test:peers`");
  const args = [join(packageRoot, ".ci/peers/watch.py"), gateway.url, token, String(droneId), transport];
  const { stdout } = await promisify(execFile)(interpreter, args);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [event: string, data: Record<string, unknown>]);
}

test.each(["websocket", "polling"] as const)(
  "a client in Python watches a drone over %s",
  async (transport) => {
    const user = await gateway.newUser();
    const drone = await simulatedDrone(user.api);
    const received = await watch(user.token, drone.id, transport);
    const stream = { stream_type: "gps", drone_id: drone.id };
    expect(received[0]).toEqual(["connected", { status: "connected", user_id: user.id }]);
    expect(received.filter(([event]) => event === "subscription_confirmed").map(([, data]) => data)).toEqual([
      { status: "subscribed", ...stream },
      { status: "unsubscribed", ...stream },
    ]);
    const positions = received.filter(([event]) => event === "telemetry_data");
    expect(positions.length).toBeGreaterThanOrEqual(3);
    for (const [, frame] of positions)
      expect(frame).toMatchObject({
        type: "gps",
        drone_id: drone.id,
        data: { latitude: expect.any(Number) },
      });
  },
);

test("a Python client with an invalid token gets an error and is disconnected", async () => {
  const received = await watch("nonsense", 1, "websocket");
  expect(received).toEqual([["error", { message: expect.stringContaining("token") }]]);
});
