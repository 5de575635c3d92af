import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openScratchFolder, sweepScratchFolders } from "../../platform/jobs/scratch-folder";
import type { Task } from "../../platform/jobs/worker";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import { assetKey, streamFolder } from "./asset-names";
import { assetToDerive, keepDerived } from "./derivation";
import { codecsOf, isBadInput, runFfmpeg } from "./ffmpeg";
import { readOnLoopback } from "./loopback-reader";
import { PLAYLIST } from "./playlist";

const SEGMENT_SECONDS = 4;
/** Reading an hour of video from the store and writing it again. */
const LIMIT_MS = 3_600_000;

interface Deps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly ffmpeg: string;
}

/** What packaging makes before it is stored lies in folders of this kind. */
const WORK_KIND = "hls";

/** Remove what packagers that were killed have left on this disk. */
export async function sweepPackaging(log: Logger): Promise<void> {
  try {
    const count = await sweepScratchFolders(WORK_KIND);
    if (count > 0) log.info({ count }, "removed what packagers of videos that were killed had left");
  } catch (error) {
    log.warn({ err: error }, "what packagers of videos that were killed have left could not be removed");
  }
}

/** Package a video for playing in a browser: HLS segments beside the original, and the playlist that names them. */
export const packageVideoTask =
  (deps: Deps): Task =>
  async (payload, signal) => {
    const { store, log, ffmpeg } = deps;
    const asset = await assetToDerive(deps, payload);
    if (asset?.stream !== "pending") return;
    const { path: folder, remove } = await openScratchFolder(WORK_KIND);
    try {
      // Read as ffmpeg goes: the original never lies on this disk.
      const packaged = await readOnLoopback(store, assetKey(asset), (source) =>
        segment(ffmpeg, source, folder, signal),
      ).catch((error: Error) => {
        if (signal.aborted || !isBadInput(error)) throw error;
        log.warn(
          { asset_id: asset.id, detail: error.message.slice(-500) },
          "a video that cannot be packaged",
        );
        return false;
      });
      if (packaged) await upload(store, folder, streamFolder(asset));
      await keepDerived(deps, asset, { stream: packaged ? "ready" : "failed" });
    } finally {
      await remove();
    }
  };

/** Copied where browsers can play what is in it, else encoded anew. */
async function segment(
  ffmpeg: string,
  source: string,
  folder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const hls = [
    "-f",
    "hls",
    "-hls_time",
    String(SEGMENT_SECONDS),
    "-hls_playlist_type",
    "vod",
    "-hls_segment_filename",
    join(folder, "segment-%05d.ts"),
    join(folder, PLAYLIST),
  ];
  const { video, audio } = await codecsOf(ffmpeg, source, signal);
  const keyframes = `expr:gte(t,n_forced*${SEGMENT_SECONDS})`;
  const picture =
    video === "h264"
      ? ["-c:v", "copy"]
      : ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-force_key_frames", keyframes];
  const sound = audio === "aac" ? ["-c:a", "copy"] : ["-c:a", "aac"];
  const streams = ["-map", "0:v:0", "-map", "0:a:0?"];
  await runFfmpeg(ffmpeg, source, ["-y", ...streams, ...picture, ...sound, ...hls], {
    signal,
    timeout: LIMIT_MS,
  });
  return true;
}

/** Segments first: whoever reads the playlist finds all that it names. */
async function upload(store: ObjectStore, folder: string, to: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  for (const name of names)
    await store.writeStream(to + name, createReadStream(join(folder, name)), "video/mp2t");
  await store.write(to + PLAYLIST, await readFile(join(folder, PLAYLIST)), "application/vnd.apple.mpegurl");
}
