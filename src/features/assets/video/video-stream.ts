import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "../../../platform/jobs/worker";
import { ObjectReplaced, type ObjectStore } from "../../../platform/objects/object-store";
import type { Logger } from "../../../platform/process/log";
import type { Services } from "../../../platform/services";
import { assetKey, streamFolder } from "../asset-names";
import { versionOf } from "../assets.store";
import { assetToDerive, saveDerived } from "../derivation";
import { codecsOf, isBadInput, runFfmpeg } from "./ffmpeg";
import { serveOnLoopback } from "./loopback-reader";
import { PLAYLIST } from "./playlist";

const SEGMENT_SECONDS = 4;
/** Six hours. Each URL of a playlist is signed whenever it is read. */
const MAX_SEGMENTS = 5_400;
/** Reading an hour of video from the store and writing it again. */
const LIMIT_MS = 3_600_000;

/** Temporary folders for segments: then the id of their process. */
const FOLDERS = "fleet-hls-";

const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });

/**
 * Removes the temporary folders of processes that were killed. Call it before the first job: one with our own id is of
 * an earlier process, since ids begin anew when a container restarts.
 */
export async function sweepPackaging(log: Logger): Promise<void> {
  await removeAbandoned().catch((error) =>
    log.warn({ err: error }, "Temporary folders of video jobs that were killed cannot be removed"),
  );
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDERS)) continue;
    const pid = Number.parseInt(name.slice(FOLDERS.length), 10);
    if (pid === process.pid || !isRunning(pid)) await removeFolder(join(tmpdir(), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Packages a video for browsers: HLS segments beside the original, and their playlist. */
export const packageVideoTask =
  (deps: Pick<Services, "db" | "store" | "log">): Task =>
  async (payload, signal) => {
    const { store, log } = deps;
    const asset = await assetToDerive(deps, payload);
    if (asset?.stream !== "pending") return;
    const folder = await mkdtemp(join(tmpdir(), `${FOLDERS}${process.pid}-`));
    try {
      // ffmpeg reads from the store: the original may be larger than this disk.
      const packaged = await serveOnLoopback(store, assetKey(asset), versionOf(asset), (source) =>
        segment(source, folder, signal),
      ).catch((error: Error) => {
        const isReplaced = error.cause instanceof ObjectReplaced;
        if (signal.aborted || !(isReplaced || isBadInput(error))) throw error;
        log.warn({ asset_id: asset.id, detail: error.message.slice(-500) }, "A video cannot be packaged");
        return false;
      });
      const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
      if (packaged && names.length <= MAX_SEGMENTS) {
        await upload(store, folder, names, streamFolder(asset));
        await saveDerived(deps, asset, { stream: "ready" });
        return;
      }
      const derivation_failure = packaged
        ? "The video is too long to be played here."
        : "The file cannot be read as a video.";
      await saveDerived(deps, asset, { stream: "failed", derivation_failure });
    } finally {
      await removeFolder(folder);
    }
  };

/** Copies streams that browsers can play, and encodes others. */
async function segment(source: string, folder: string, signal: AbortSignal): Promise<boolean> {
  const hls = [
    ...["-f", "hls", "-hls_time", String(SEGMENT_SECONDS), "-hls_playlist_type", "vod"],
    ...["-hls_segment_filename", join(folder, "segment-%05d.ts"), join(folder, PLAYLIST)],
  ];
  const { video, audio } = await codecsOf(source, signal);
  const keyframes = `expr:gte(t,n_forced*${SEGMENT_SECONDS})`;
  const picture =
    video === "h264"
      ? ["-c:v", "copy"]
      : ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-force_key_frames", keyframes];
  const sound = audio === "aac" ? ["-c:a", "copy"] : ["-c:a", "aac"];
  const streams = ["-map", "0:v:0", "-map", "0:a:0?"];
  await runFfmpeg(source, ["-y", ...streams, ...picture, ...sound, ...hls], {
    signal,
    timeout: LIMIT_MS,
  });
  return true;
}

/** The segments before the playlist, so that a client finds every segment of it. */
async function upload(
  store: ObjectStore,
  folder: string,
  names: readonly string[],
  to: string,
): Promise<void> {
  for (const name of names)
    await store.writeStream(to + name, createReadStream(join(folder, name)), "video/mp2t");
  await store.write(to + PLAYLIST, await readFile(join(folder, PLAYLIST)), "application/vnd.apple.mpegurl");
}
