import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { freshFolder } from "../../../testing";
import type { ApiClient } from "../../../testing/client";
import { openInHlsJs } from "../../../testing/fakes/hls-player";
import { until } from "../../../testing/until";
import { startTestGateway, type TestGateway, type TestUser } from "../../../testing/worlds/start-gateway";
import { droneClient, upload } from "../../../testing/worlds/uploads";
import { streamFolder } from "../asset-names";
import { packageVideoTask } from "./video-stream";

const run = promisify(execFile);

let gateway: TestGateway;
let user: TestUser;
let vehicle: { id: number; ip: string };
let drone: ApiClient;
/** As a packager that was killed leaves it. */
const left = mkdtempSync(join(tmpdir(), "fleet-hls-99999999-"));
/** ffmpeg, and what it was started with, a line each time. */
const ffmpeg = join(freshFolder("ffmpeg"), "ffmpeg");
const realFfmpeg = execFileSync("sh", ["-c", "command -v ffmpeg"], { encoding: "utf8" }).trim();
const log = `${ffmpeg}.log`;
beforeAll(async () => {
  writeFileSync(ffmpeg, `#!/bin/sh\necho "$@" >>${log}\nexec ${realFfmpeg} "$@"\n`, { mode: 0o755 });
  process.env.PATH = `${dirname(ffmpeg)}:${process.env.PATH}`;
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
  user = await gateway.newUser();
  vehicle = (await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" })).body;
  drone = droneClient(gateway.api, vehicle.ip);
});

const SECONDS = 9;
const picture = ["-f", "lavfi", "-i", `testsrc=size=160x120:rate=10:duration=${SECONDS}`];
const tone = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${SECONDS}`];
const h264 = ["-c:v", "libx264", "-g", "20", "-pix_fmt", "yuv420p"];

async function film(name: string, ...encoding: string[]): Promise<Buffer> {
  const file = join(freshFolder("video"), name);
  await run(realFfmpeg, ["-v", "error", ...picture, ...encoding, file]);
  return readFileSync(file);
}

/** The playlist's path, once it is there. */
async function packaged(file_name: string, content: Buffer) {
  const { asset_id } = await upload(drone, { file_name, asset_type: "video" }, content);
  const path = `/assets/${vehicle.id}/video/${asset_id}`;
  const reply = await until(async () => {
    const answer = await user.api.get(path);
    return answer.status === 200 && answer;
  });
  return { path, reply };
}

/** Pictures that ffmpeg decodes when it follows the playlist to its end. */
async function picturesOf(playlist: string): Promise<number> {
  const file = join(freshFolder("play"), "index.m3u8");
  writeFileSync(file, playlist);
  const { stdout } = await run("ffprobe", [
    ...["-v", "error", "-protocol_whitelist", "file,http,tcp", "-count_frames", "-select_streams", "v"],
    ...["-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", file],
  ]);
  return Number.parseInt(stdout, 10);
}

const avc = expect.stringMatching(/^avc1/);
const aac = expect.stringMatching(/^mp4a/);
test.each([
  ["H.264", "a.mp4", h264, [avc, undefined]],
  ["H.264 with sound", "a.mov", [...tone, ...h264, "-c:a", "aac"], [avc, aac]],
  ["a format that no browser plays", "a.avi", [...tone, "-c:v", "mpeg4", "-c:a", "mp2"], [avc, aac]],
] as const)(
  "a video of %s is packaged, and players follow its playlist through presigned segments to the end",
  async (_what, name, encoding, codecs) => {
    const { path, reply } = await packaged(name, await film(name, ...encoding));
    expect(reply.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
    expect(reply.body).toMatch(/^#EXTM3U/);
    const listed = reply.body.split("\n").filter((line: string) => line && !line.startsWith("#"));
    expect(listed.length).toBeGreaterThanOrEqual(2);
    for (const segment of listed) expect(segment).toMatch(/^http:.*X-Amz-Signature=/);
    expect(await picturesOf(reply.body)).toBe(SECONDS * 10);

    const opened = await openInHlsJs(`${gateway.url}/api/v1${path}`, {
      Authorization: `Bearer ${user.token}`,
    });
    expect(opened.live).toBe(false);
    expect(opened.segments).toHaveLength(listed.length);
    const length = opened.segments.reduce((sum, { duration }) => sum + duration, 0);
    expect(Math.abs(length - SECONDS)).toBeLessThan(0.2);
    for (const { url } of opened.segments) expect((await fetch(url)).status).toBe(200);
    const { video, audio } = opened.tracks;
    expect([video?.codec, audio?.codec]).toEqual(codecs);
    expect(video?.metadata).toMatchObject({ width: 160, height: 120 });
  },
  120_000,
);

test("no command line of ffmpeg has a URL of the store, or one that is still valid", async () => {
  const addresses = [...readFileSync(log, "utf8").matchAll(/ -i (\S+)/g)].map(
    ([, address]) => address as string,
  );
  expect(addresses.length).toBeGreaterThanOrEqual(2);
  expect(readFileSync(log, "utf8")).not.toMatch(/X-Amz/);
  for (const address of addresses) {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}$/);
    await expect(fetch(address)).rejects.toThrow();
  }
});

test("one playlist of a user is signed at a time", async () => {
  const { path } = await packaged("c.mp4", await film("c.mp4", ...h264));
  const { store } = gateway.deps;
  const readSmall = store.readSmall.bind(store);
  let running = 0;
  let most = 0;
  store.readSmall = async (key) => {
    most = Math.max(most, ++running);
    return readSmall(key).finally(() => running--);
  };
  const replies = await Promise.all(Array.from({ length: 8 }, () => user.api.get(path)));
  store.readSmall = readSmall;
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(most).toBe(1);
});

test("a playlist of 40 MB is not read", async () => {
  const { asset_id } = await upload(
    drone,
    { file_name: "b.mp4", asset_type: "video" },
    await film("b.mp4", ...h264),
  );
  const path = `/assets/${vehicle.id}/video/${asset_id}`;
  await until(async () => (await user.api.get(path)).status === 200);
  const { store } = gateway.deps;
  const lines = "segment-00000.ts\n".repeat(2_500_000);
  await store.write(`${streamFolder({ drone_id: vehicle.id, id: asset_id })}index.m3u8`, lines, "text/plain");
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 10; n++) expect((await user.api.get(path)).status).toBe(500);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
}, 60_000);

test("a video of more than six hours is kept, and its reply says why it is not played", async () => {
  const file = join(freshFolder("video"), "long.mp4");
  const pictures = ["-f", "lavfi", "-i", "color=size=16x16:rate=1/4:duration=21640"];
  await run(realFfmpeg, ["-v", "error", ...pictures, "-c:v", "libx264", "-g", "1", file]);
  const request = { file_name: "long.mp4", asset_type: "video" };
  const { asset_id } = await upload(drone, request, readFileSync(file));
  const { db } = gateway.deps;
  const asset = await until(async () => {
    const row = await db("assets").where({ id: asset_id }).first("stream", "derivation_failure");
    return row.stream !== "pending" && row;
  });
  expect(asset).toEqual({ stream: "failed", derivation_failure: "The video is too long to be played here." });
  expect((await user.api.get(`/assets/${vehicle.id}/video/${asset_id}`)).status).toBe(404);
  expect((await user.api.get(`/assets/${vehicle.id}/download/${asset_id}`)).status).toBe(200);
}, 60_000);

test("temporary folders of killed jobs are removed", () => {
  expect(existsSync(left)).toBe(false);
});

test("a video whose reading was interrupted is neither ready nor failed, and the retry packages all of it", async () => {
  const idle = await startTestGateway();
  const owner = await idle.newUser();
  const { id, ip } = (await owner.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" }))
    .body;
  const uploadRequest = { file_name: "a.mp4", asset_type: "video" };
  const { asset_id } = await upload(droneClient(idle.api, ip), uploadRequest, await film("a.mp4", ...h264));
  const { db, store, log } = idle.deps;
  let reads = 0;
  const failing = Object.assign(Object.create(store), {
    read: (...given: Parameters<typeof store.read>) => {
      reads += 1;
      return reads === 2 ? Promise.reject(new Error("The store is away.")) : store.read(...given);
    },
  });
  const task = packageVideoTask({ db, store: failing, log });
  const attempt = () => task({ asset_id, drone_id: id }, new AbortController().signal);
  const stream = async () => (await db("assets").where({ id: asset_id }).first()).stream;
  await expect(attempt()).rejects.toThrow("The store failed while an object was read.");
  expect(await stream()).toBe("pending");
  await attempt();
  expect(await stream()).toBe("ready");
  const playlist = (await owner.api.get(`/assets/${id}/video/${asset_id}`)).body;
  expect(await picturesOf(playlist)).toBe(SECONDS * 10);
});

test("a file that is not a video is kept, and its playlist says that it cannot be played", async () => {
  const { asset_id } = await upload(
    drone,
    { file_name: "noise.mp4", asset_type: "video" },
    "no video at all",
  );
  const [asset] = await until(async () => {
    const { body } = await user.api.get(`/assets/video/${vehicle.id}`);
    const found = body.data.filter(({ id }: { id: number }) => id === asset_id);
    return found[0].stream === "failed" && found;
  });
  expect(asset.status).toBe("ready");
  expect(await user.api.get(`/assets/${vehicle.id}/video/${asset_id}`)).toMatchObject({
    status: 404,
    body: { success: false, error: { code: 404 } },
  });
}, 120_000);
