import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Environment } from "../../platform/config";
import { endLeftover, isMarked } from "../servers/leftover";
import { after, readState, writeState } from "./state";

/**
 * The camera of a simulated drone. Without arguments it is the agent's ONBOARD_VIDEO_COMMAND: it takes one message and
 * returns; the stream is a process of its own, `stream FOLDER`. Variables:
 * - `CAMERA_FOLDER`: what it keeps, absolute
 * - `CAMERA_OWNER_PID`: the stream ends with this process
 * - `JANUS_URL`, `JANUS_API_SECRET`: the media server
 */
export async function runCamera([mode, folder]: string[], env: Environment): Promise<void> {
  if (mode === "stream" && folder) {
    // The command starts in a tenth of the time without it.
    const { stream }: typeof import("./stream") = require("./stream");
    return stream(folder, env);
  }
  await take(env.CAMERA_FOLDER as string, env.VIDEO_TOPIC ?? "", await text(process.stdin));
}

async function take(folder: string, topic: string, message: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const before = readState(folder);
  const state = after(before, topic, message);
  writeState(folder, state);
  const isOtherRoom = state.room?.room_password !== before.room?.room_password;
  if (!state.isOn || isOtherRoom) await endCamera(folder);
  if (state.isOn && state.room && !isStreaming(folder)) startStream(folder);
}

const pidFileIn = (folder: string) => join(folder, "camera.pid");

/** Ends the stream of the camera that keeps its things in this folder. Resolves when it is gone. */
export const endCamera = (folder: string): Promise<void> => endLeftover(pidFileIn(folder), folder, "SIGTERM");

const isStreaming = (folder: string): boolean =>
  existsSync(pidFileIn(folder)) &&
  isMarked(Number.parseInt(readFileSync(pidFileIn(folder), "utf8"), 10), folder);

function startStream(folder: string): void {
  const log = openSync(join(folder, "camera.log"), "w", 0o600);
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, "stream", folder], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  writeFileSync(pidFileIn(folder), `${child.pid}\n`);
  child.unref();
}
