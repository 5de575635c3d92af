import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { atEndOfFile } from "../testing";
import { until } from "../testing/until";
import { startTestRelay, type TestDrone, type TestRelay } from "../testing/worlds/start-relay";

let relay: TestRelay;
let drone: TestDrone;

beforeAll(async () => {
  relay = await startTestRelay();
  drone = await relay.newDrone();
  // Its own WebSocket is on this machine.
  await relay.db("vpn_addresses").insert({ ip: "127.0.0.1", range: "simulated" });
  await relay.db("drones").where({ id: drone.id }).update({ ip: "127.0.0.1" });
});

/** A drone's own WebSocket server; it keeps its last client and everything it was sent, binary frames in hex. */
async function droneSocket(greeting?: string) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  const state = { received: [] as string[], client: undefined as WebSocket | undefined, port: 0 };
  server.on("connection", (client) => {
    state.client = client;
    if (greeting) client.send(greeting);
    client.on("message", (data, binary) =>
      state.received.push((data as Buffer).toString(binary ? "hex" : "utf8")),
    );
  });
  await new Promise((resolve) => server.once("listening", resolve));
  atEndOfFile(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  state.port = (server.address() as AddressInfo).port;
  return state;
}

test("frames of both kinds pass both ways between the pilot and the drone's own socket", async () => {
  const own = await droneSocket();
  const pilot = await relay.pilot(`/gamepad/${drone.id}?port=${own.port}`).open();
  pilot.send("sent before the drone has answered");
  pilot.socket.send(Buffer.from([0xca, 0xfe]));
  await until(() => own.received.length === 2);
  expect(own.received).toEqual(["sent before the drone has answered", "cafe"]);
  const kinds: boolean[] = [];
  pilot.socket.on("message", (_data, binary) => kinds.push(binary));
  own.client!.send("text ✓");
  own.client!.send(Buffer.from("bytes"));
  await until(() => pilot.frames.length === 2);
  expect(pilot.frames).toEqual(["text ✓", "bytes"]);
  expect(kinds).toEqual([false, true]);
});

test("the drone's first message after the connection is forwarded", async () => {
  const own = await droneSocket("hello");
  const pilot = await relay.pilot(`/gamepad/${drone.id}?port=${own.port}`).open();
  await until(() => pilot.frames.length > 0);
  expect(pilot.frames).toEqual(["hello"]);
});

test("when either side closes, the other is closed", async () => {
  const own = await droneSocket();
  const first = await relay.pilot(`/gamepad/${drone.id}?port=${own.port}`).open();
  await until(() => own.client !== undefined);
  own.client!.close();
  expect((await first.closed).code).toBe(1013);

  own.client = undefined;
  const second = await relay.pilot(`/gamepad/${drone.id}?port=${own.port}`).open();
  await until(() => own.client !== undefined);
  const left = new Promise((resolve) => own.client!.once("close", resolve));
  second.socket.terminate();
  await left;
});

test("a drone that does not answer closes the session with 1013; an unknown one gives the contract's message", async () => {
  expect(await relay.pilot(`/gamepad/${drone.id}?port=1`).closed).toEqual({
    code: 1013,
    reason: "The drone does not answer; connect again in a moment.",
  });
  const unknown = relay.pilot("/gamepad/999999");
  expect((await unknown.closed).code).toBe(4404);
  expect(unknown.frames).toEqual(["Drone not found"]);
});

test.each(["/gamepad/abc", "/gamepad/1?port=0", "/gamepad/1?port=70000", "/gamepad/1?port=x"])(
  "an upgrade of %s is answered with 404",
  async (path) => {
    await expect(relay.pilot(path).open()).rejects.toThrow("404");
  },
);
