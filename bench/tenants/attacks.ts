import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { io } from "socket.io-client";
import { type BucketSettings, ObjectStore } from "../../src/platform/objects/object-store";
import { encodeCommand } from "../../src/platform/redis/resp";
import { retry } from "../../src/platform/retry";
import { ApiClient } from "../../src/testing/client";
import { put } from "../../src/testing/worlds/uploads";
import { build, FrameWriter } from "../../src/vehicle/mavlink/wire/codec";
import { common, minimal } from "../../src/vehicle/mavlink/wire/messages";
import type { Tenant } from "./world";

/** Calls of one attack that are under way at once. */
const AT_ONCE = 4;

interface Attacker {
  readonly tenant: Tenant;
  readonly user: ApiClient;
  readonly drone: ApiClient;
  readonly anybody: ApiClient;
}

/** One action of an attack; the next follows as soon as it is answered. */
type Act = (round: number) => Promise<unknown>;

/** Prepares an attack. */
type Attack = (by: Attacker) => Promise<Act>;

const begin = async ({ drone }: Attacker, file_name: string, asset_type: string, checksum?: string) =>
  (await drone.post("/authenticate_upload", { file_name, asset_type, checksum })).body;

const uploadPicture = async (by: Attacker, name: string, content: Buffer | string) => {
  const { url, asset_id } = await begin(by, name, "image");
  if (!url) return;
  await put(url, content);
  await by.drone.post("/complete_upload", { asset_id });
};

/** From another network each time, as the gateway's proxy says. */
const elsewhere = (anybody: ApiClient, round: number) =>
  anybody.with({ "x-forwarded-for": `2001:db8:${(round % 65_536).toString(16)}::1` });

/** 155 kB that take an SVG renderer minutes and gigabytes. */
const filters = () => {
  const blurs = Array.from(
    { length: 3_000 },
    (_, at) => `<filter id="f${at}"><feGaussianBlur stdDeviation="${at}"/></filter>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16000" height="16000"><defs>${blurs.join("")}</defs>${"<rect width='16000' height='16000' filter='url(#f9)'/>".repeat(50)}</svg>`;
};

export const attacks: Readonly<Record<string, Attack>> = {
  "images that are heavy to decode": async (by) => {
    const blank = sharp({ create: { width: 16_380, height: 16_380, channels: 3, background: "red" } });
    const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
    // The others are refused by their headers, this one is decoded: it has 49 megapixels.
    const admissible = sharp({
      create: { width: 7_000, height: 7_000, channels: 3, background: "red", noise },
    });
    const pictures = [
      filters(),
      await blank.clone().jpeg({ progressive: true, quality: 1 }).toBuffer(),
      await blank.clone().png({ progressive: true }).toBuffer(),
      await admissible.webp({ quality: 60, effort: 0 }).toBuffer(),
    ];
    return (round) =>
      uploadPicture(by, `picture-${round}`, pictures[round % pictures.length] as Buffer | string);
  },
  "an upload of 600 MB with a wrong checksum": async (by) => {
    const { url, asset_id } = await begin(by, "large.bin", "logs", "0".repeat(64));
    await put(url, Buffer.alloc(600_000_000, "x"));
    // Eight completions at a time: each worker sends two.
    const complete = () => by.drone.post("/complete_upload", { asset_id });
    return () => Promise.all([complete(), complete()]);
  },
  "an upload that is replaced": async (by) => {
    const { url, asset_id } = await begin(by, "replaced.jpg", "image");
    await put(
      url,
      await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
        .jpeg()
        .toBuffer(),
    );
    await by.drone.post("/complete_upload", { asset_id });
    await put(url, Buffer.alloc(1_500_000_000));
    return () => by.user.get(`/assets/${by.tenant.droneId}/download/${asset_id}`);
  },
  "a playlist of 40 MB": async (by) => {
    const { url, asset_id } = await begin(by, "film.mp4", "video");
    await put(url, await film());
    await by.drone.post("/complete_upload", { asset_id });
    const path = `/assets/${by.tenant.droneId}/video/${asset_id}`;
    const isPackaged = async () => {
      if ((await by.user.get(path)).status !== 200) throw new Error("The film is not packaged.");
    };
    await retry(isPackaged, { firstMs: 200, limitMs: 30_000 });
    const playlist = `assets/${by.tenant.droneId}/${asset_id}/derived/hls/index.m3u8`;
    await storeOf(url).write(playlist, "segment-00000.ts\n".repeat(2_500_000), "text/plain");
    return () => by.user.get(path);
  },
  "reports to addresses that are not confirmed": async ({ user, drone }) => {
    const others = Array.from({ length: 20 }, (_, at) => `other-${at}@example.com`);
    await user.put("/user/report-emails", { extra_emails: others.join(",") });
    return async () => {
      const { body } = await drone.post("/executions/start", {});
      if (body.data) await drone.post(`/executions/${body.data.id}/complete`, { status: "completed" });
    };
  },
  "Redis subscriptions that are not read": async ({ tenant }) => {
    const own = `${tenant.edge.ip}:gamepad_input`;
    const readers = Array.from({ length: 31 }, () => redisConnection(tenant));
    for (const reader of readers) reader.pause().write(encodeCommand("SUBSCRIBE", own));
    return () => asDrone(tenant, encodeCommand("PUBLISH", own, "x".repeat(65_536)));
  },
  "Redis subscriptions to names of 100 kB":
    async ({ tenant }) =>
    (round) =>
      asDrone(tenant, encodeCommand("SUBSCRIBE", `${tenant.edge.ip}:${round}${"n".repeat(100_000)}`)),
  "the simulation instance stopped and started":
    async ({ user }) =>
    async () => {
      await user.post("/simulator/stop", {});
      await user.post("/simulator/start", {});
    },
  "drones created and deleted":
    async ({ user }) =>
    async () => {
      const sitl = { type: "sitl", name: "short-lived", vehicle_type: "copter" };
      const { body } = await user.post("/drone", sitl);
      if (body.id) await user.delete(`/drone/${body.id}`);
    },
  "pending assets, and their list": async (by) => async (round) => {
    await begin(by, `pending-${round}`, "logs");
    if (round % 50 === 0) await by.user.get(`/assets/${by.tenant.droneId}`);
  },
  "mails without an account":
    async ({ anybody }) =>
    (round) =>
      elsewhere(anybody, round).post("/verify-email", { email: `nobody-${round}@example.com` }),
  "wrong logins":
    async ({ anybody }) =>
    (round) =>
      elsewhere(anybody, round).post("/login", {
        username: `user-${round}@example.com`,
        password: "a wrong password",
      }),
  "wrong logins behind one proxy":
    async ({ anybody }) =>
    (round) =>
      anybody.post("/login", { username: `user-${round}@example.com`, password: "a wrong password" }),
  "wrong activation tokens":
    async ({ anybody }) =>
    (round) =>
      elsewhere(anybody, round)
        .with({ "x-activation-token": String(1_000_000_000 + round) })
        .get("/drone/activate"),
  "a vehicle that floods": async ({ user, tenant }) => {
    const port = await floodingVehicle();
    await user.put(`/drone/${tenant.droneId}`, { link_host: "127.0.0.1", port });
    const socket = io(tenant.base.replace("/api/v1", ""), {
      query: { token: tenant.token },
      transports: ["websocket"],
    });
    const subscribe = () =>
      socket.emit("subscribe_telemetry", { drone_id: tenant.droneId, stream_type: "logs" });
    socket.on("connected", subscribe);
    return async () => {
      subscribe();
      await delay(500);
    };
  },
  "Socket.IO connections":
    async ({ tenant }) =>
    async () => {
      const socket = io(tenant.base.replace("/api/v1", ""), {
        query: { token: tenant.token },
        transports: ["websocket"],
        reconnection: false,
        forceNew: true,
      });
      await new Promise<void>((resolve) => {
        socket.once("connect", () => resolve());
        socket.once("connect_error", () => resolve());
        socket.once("disconnect", () => resolve());
      });
    },
  "long lists that are not read":
    async ({ tenant }) =>
    async () => {
      const { hostname, port, pathname } = new URL(tenant.base);
      const request = `GET ${pathname}/missions HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${tenant.token}\r\n\r\n`;
      const sockets = Array.from({ length: 24 / AT_ONCE }, () => connect(Number(port), hostname).pause());
      for (const socket of sockets) socket.on("error", () => undefined).write(request);
      await delay(2_000);
      for (const socket of sockets) socket.destroy();
    },
  orders:
    async ({ user, tenant }) =>
    () =>
      user.post("/drone/action/arm", { drone_id: tenant.droneId }),
};

function redisConnection({ edge }: Tenant): Socket {
  const { hostname, port } = new URL(edge.redis);
  const socket = connect({ host: hostname, port: Number(port), localAddress: edge.ip });
  return socket.on("error", () => socket.destroy());
}

/** Sends a command through the edge and reads until it answers or hangs up; rejects when it hangs up. */
async function asDrone(tenant: Tenant, command: Buffer): Promise<void> {
  const socket = redisConnection(tenant);
  socket.write(command);
  await Promise.race([
    once(socket, "data"),
    once(socket, "close").then(() => Promise.reject(new Error("The edge hung up."))),
  ]).finally(() => socket.destroy());
}

/** A film of two seconds. */
async function film(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-film-"));
  const file = join(folder, "film.mp4");
  const picture = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=2"];
  await promisify(execFile)("ffmpeg", ["-v", "error", ...picture, "-pix_fmt", "yuv420p", file]);
  const content = await readFile(file);
  await rm(folder, { recursive: true });
  return content;
}

/** The store of a presigned URL, as a drone would have it if its own credentials were good for derived objects. */
function storeOf(presigned: string): ObjectStore {
  const { origin, pathname } = new URL(presigned);
  const [, S3_BUCKET = ""] = pathname.split("/");
  const key = { S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" };
  return new ObjectStore({
    S3_ENDPOINT: origin,
    S3_REGION: "us-east-1",
    S3_BUCKET,
    ...key,
  } as BucketSettings);
}

/** Sends heartbeats and texts as fast as they are read. */
async function floodingVehicle(): Promise<number> {
  const writer = new FrameWriter(1, 1);
  const heartbeat = writer.encode(build(minimal.Heartbeat, { type: 2, autopilot: 3, mavlinkVersion: 3 }));
  const text = () => writer.encode(build(common.StatusText, { severity: 3, text: "x".repeat(50) }));
  const server: Server = createServer((socket) => {
    const flood = () => {
      while (
        !socket.destroyed &&
        socket.write(Buffer.concat([heartbeat, ...Array.from({ length: 100 }, text)]))
      );
    };
    socket.on("error", () => socket.destroy());
    socket.on("drain", flood);
    socket.resume();
    flood();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

/** Resolves when the attack can begin. */
export async function prepareAttack(name: string, tenant: Tenant): Promise<Act> {
  const user = new ApiClient(tenant.base, tenant.token);
  const anybody = user.as(undefined);
  const drone = anybody.with({ "x-drone-ip": tenant.droneIp });
  const prepare = attacks[name];
  if (!prepare) throw new Error(`There is no attack "${name}".`);
  // The store may close a connection while several large files arrive.
  return retry(() => prepare({ tenant, user, drone, anybody }), { firstMs: 500, limitMs: 10_000 });
}

/** Attacks for so long, as fast as it is answered. Resolves with the number of rounds. */
export async function runAttack(act: Act, ms: number): Promise<number> {
  const ends = performance.now() + ms;
  let rounds = 0;
  const worker = async () => {
    while (performance.now() < ends) await act(rounds++).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return rounds;
}
