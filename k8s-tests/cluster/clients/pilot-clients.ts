import { WebSocket } from "ws";
import { TestSticks } from "../../../src/testing/sticks";
import { TestWatcher } from "../../../src/testing/watcher";
import { client, pilot } from "../flight";
import { origin } from "../release";
import { asking, type Client, connecting } from "./interruptions";

/** What a pilot does over and over through the way in. The drones are named when a client starts. */

type Named = () => { readonly id: number };

/** How a relay ends a session whose token has expired. */
const TOKEN_REFUSED = 4401;

let loggingIn: Promise<unknown> | undefined;

/** Once for all calls that were refused meanwhile. */
function logIn(): Promise<unknown> {
  loggingIn ??= client.logIn(pilot.username, pilot.password).finally(() => {
    loggingIn = undefined;
  });
  return loggingIn;
}

async function calls(method: string, path: string, signal: AbortSignal, body?: object): Promise<boolean> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    ...{ method, signal, body: body && JSON.stringify(body) },
    headers: {
      Authorization: `Bearer ${client.accessToken}`,
      ...(body && { "Content-Type": "application/json" }),
    },
  });
  await response.arrayBuffer();
  if (response.status === 401) await logIn();
  return response.ok;
}

async function watch(
  drone_id: number,
  answered: () => void,
  signal: AbortSignal,
  opened: () => void,
): Promise<void> {
  const watcher = new TestWatcher(origin, client.accessToken, { withCredentials: true, timeout: 2_000 });
  const { socket } = watcher;
  // The first of a type may be what the gateway has kept.
  const types = new Set<string>();
  socket.on("telemetry_data", ({ type }) => {
    watcher.clear();
    if (types.has(type)) answered();
    types.add(type);
  });
  let isRefused = false;
  socket.on("error", ({ message }) => {
    isRefused = /\btoken\b/.test(message);
    socket.disconnect();
  });
  socket.on("connect", () => {
    opened();
    socket.emit("subscribe_telemetry", { drone_id, stream_type: "dashboard" });
  });
  await new Promise<unknown>((resolve) => {
    socket.once("disconnect", resolve).once("connect_error", resolve);
    signal.addEventListener("abort", resolve, { once: true });
  });
  socket.disconnect();
  if (isRefused) await logIn();
}

async function steer(droneId: number, signal: AbortSignal, opened: () => void): Promise<void> {
  const path = `/redispad/${droneId}?access_token=${client.accessToken}`;
  const socket = new WebSocket(`${origin.replace("http", "ws")}${path}`, { handshakeTimeout: 2_000 });
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  signal.addEventListener("abort", () => socket.terminate(), { once: true });
  socket.on("error", () => undefined);
  const sticks = new TestSticks((frame) => socket.readyState === WebSocket.OPEN && socket.send(frame));
  socket.once("open", () => {
    opened();
    sticks.hold({ pitch: 0.1 });
  });
  const code = await closed;
  sticks.letGo();
  if (code === TOKEN_REFUSED) await logIn();
}

/** Of the API. */
export const requests: Client = asking((signal) => calls("GET", "/user", signal), 100);

/** For this mode, in which the drone may be already. */
export const orders = (drone: Named, custom_mode: string): Client =>
  asking((signal) => {
    const body = { drone_id: drone().id, mode_info: { custom_mode } };
    return calls("POST", "/drone/action/set_mode", signal, body);
  }, 250);

/** `opened` is called for each connection. */
export const telemetry = (drone: Named, opened = () => {}): Client =>
  connecting((answered, signal) => watch(drone().id, answered, signal, opened), 250);

/** Stick frames through the relay. What they arrive at is `heard`, a client that answers for each. */
export const sticks =
  (drone: Named, heard: Client, opened = () => {}): Client =>
  async (answered, signal) => {
    const sending = connecting((_, ended) => steer(drone().id, ended, opened), 100);
    await Promise.all([heard(answered, signal), sending(answered, signal)]);
  };
