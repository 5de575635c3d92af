import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { io } from "socket.io-client";
import { ApiClient } from "../../src/testing/client";
import { frameNumberOf } from "../../src/testing/fakes/counting-vehicle";
import { upload } from "../../src/testing/worlds/uploads";
import { percentile } from "../table";
import type { TenantsWorld } from "./world";

/** What the victim had while something else went on; times in ms. */
export interface Service {
  readonly authP99: number;
  readonly orderP99: number;
  /** The slowest of one after the other. */
  readonly thumbnail: number;
  readonly resetMail: number;
  /** Longest pause between two positions of a vehicle that sends some in each second. */
  readonly telemetryGap: number;
  /** Of the positions of a vehicle that numbers them, those that were never shown. */
  readonly lostPositions: number;
}

type NumberedFrame = Parameters<typeof frameNumberOf>[0];

const LIMIT_MS = 30_000;

/** Measures the victim's service until `during` ends, and at least once each. */
export async function measure(
  world: TenantsWorld,
  during: Promise<unknown>,
  round: number,
): Promise<Service> {
  let going = true;
  const ended = during.finally(() => {
    going = false;
  });
  const api = new ApiClient(world.victim.base, world.victim.token);
  const [auth, orders, telemetryGap, lostPositions, thumbnail, resetMail] = await Promise.all([
    repeated(
      () => authCheck(api),
      20,
      () => going,
    ),
    repeated(
      () => order(api, world.victim.droneId),
      100,
      () => going,
    ),
    longestGap(world, () => going),
    lost(world, () => going),
    slowestThumbnail(world, round, () => going),
    untilReset(world, round),
    ended,
  ]);
  return { authP99: p99(auth), orderP99: p99(orders), thumbnail, resetMail, telemetryGap, lostPositions };
}

async function authCheck(api: ApiClient): Promise<void> {
  const { status } = await api.get("/auth");
  if (status !== 200) throw new Error(`GET /auth: ${status}`);
}

/** Sets a parameter of the vehicle to what it is. Rejects unless the vehicle confirmed it. */
export async function order(api: ApiClient, drone_id: number): Promise<void> {
  const { status, body } = await api.post("/drone/action/set_param", {
    drone_id,
    param_id: "RTL_ALT_M",
    value: 15,
  });
  if (status !== 200) throw new Error(`An order failed: ${status} ${JSON.stringify(body)}`);
}

const p99 = (times: readonly number[]): number => percentile(times, 0.99);

async function repeated(
  call: () => Promise<unknown>,
  everyMs: number,
  going: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (going()) {
    const began = performance.now();
    const answered = await call().then(
      () => true,
      () => false,
    );
    times.push(answered ? performance.now() - began : Number.POSITIVE_INFINITY);
    await pause(everyMs);
  }
  return times;
}

/** Resolves with the stream's first frame. */
async function watch({ url, victim }: TenantsWorld, drone_id: number, stream_type: string) {
  const socket = io(url, { query: { token: victim.token }, transports: ["websocket"], forceNew: true });
  socket.on("connected", () => socket.emit("subscribe_telemetry", { drone_id, stream_type }));
  const first = await new Promise<NumberedFrame>((resolve) => socket.once("telemetry_data", resolve));
  return { socket, first };
}

async function lost(world: TenantsWorld, going: () => boolean): Promise<number> {
  const { counted } = world;
  const { socket, first } = await watch(world, counted.droneId, "relalt");
  try {
    const shown = new Set([frameNumberOf(first)]);
    socket.on("telemetry_data", (frame: NumberedFrame) => shown.add(frameNumberOf(frame)));
    while (going()) await pause(100);
    const sent = counted.newest - frameNumberOf(first) + 1;
    await awaited(async () => shown.has(counted.newest));
    return [...Array(sent).keys()].filter((at) => !shown.has(frameNumberOf(first) + at)).length;
  } finally {
    socket.disconnect();
  }
}

async function longestGap(world: TenantsWorld, going: () => boolean): Promise<number> {
  const { socket } = await watch(world, world.victim.droneId, "gps");
  try {
    let [last, longest] = [performance.now(), 0];
    socket.on("telemetry_data", () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    });
    while (going()) await pause(100);
    return Math.max(longest, performance.now() - last);
  } finally {
    socket.disconnect();
  }
}

async function slowestThumbnail(world: TenantsWorld, round: number, going: () => boolean): Promise<number> {
  let slowest = 0;
  for (let at = 0; at === 0 || going(); at++) {
    slowest = Math.max(slowest, await untilThumbnail(world, round, at));
    await pause(500);
  }
  return slowest;
}

async function untilThumbnail({ victim }: TenantsWorld, round: number, at: number): Promise<number> {
  const picture = await sharp({
    create: { width: 1_600, height: 1_200, channels: 3, background: { r: round, g: at, b: 9 } },
  })
    .jpeg()
    .toBuffer();
  const api = new ApiClient(victim.base, victim.token);
  const drone = api.as(undefined).with({ "x-drone-ip": victim.droneIp });
  const began = performance.now();
  const { asset_id } = await upload(
    drone,
    { file_name: `picture-${round}-${at}.jpg`, asset_type: "image" },
    picture,
  );
  const shown = async () => {
    const { body } = await api.get(`/assets/${victim.droneId}?limit=5`);
    return body.data.some(
      (asset: { id: number; thumbnail_url: string | null }) => asset.id === asset_id && asset.thumbnail_url,
    );
  };
  return (await awaited(shown)) - began;
}

async function untilReset({ victim, mail, mailboxes }: TenantsWorld, round: number): Promise<number> {
  const email = mailboxes[round % mailboxes.length] as string;
  // From networks of its own, each with its quota.
  const api = new ApiClient(victim.base).with({ "x-forwarded-for": `198.51.100.${round}` });
  const began = performance.now();
  await api.post("/reset-password", { email });
  return (await awaited(async () => mail.mails.some(({ to }) => to.includes(email)))) - began;
}

/** When it came true, or an endless time. */
async function awaited(condition: () => Promise<boolean>): Promise<number> {
  const ends = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > ends) return Number.POSITIVE_INFINITY;
    await pause(50);
  }
  return performance.now();
}
