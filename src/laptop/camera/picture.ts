import { spawn } from "node:child_process";
import { AccessUnits } from "./h264";
import type { Source } from "./state";

export interface Picture {
  /** Resolves with the reason when ffmpeg ends. */
  readonly ended: Promise<string>;
  stop(): void;
}

/** ffmpeg's test pictures. Both have a clock that runs, so that a picture that stands still is noticed. */
const testPictures: Readonly<Record<Source, string>> = { CAMERA: "testsrc2", TEST: "testsrc" };

const RATE = 15;
/** Little work for a laptop: 5 % of a core. */
const SIZE = "640x360";

/**
 * A moving picture as H.264, constrained baseline, with a key frame a second, so that a new viewer sees it soon.
 * `onPicture` gets the NAL units of each frame. ffmpeg ends with this process, since nobody reads its output then.
 */
export function startPicture(source: Source, onPicture: (nalUnits: readonly Buffer[]) => void): Picture {
  const input = ["-re", "-f", "lavfi", "-i", `${testPictures[source]}=size=${SIZE}:rate=${RATE}`];
  const fast = ["-preset", "ultrafast", "-tune", "zerolatency", "-threads", "1"];
  const format = ["-profile:v", "baseline", "-level", "3.1", "-pix_fmt", "yuv420p", "-g", String(RATE)];
  const rate = ["-b:v", "800k", "-maxrate", "800k", "-bufsize", "400k"];
  const output = ["-x264-params", "aud=1:repeat-headers=1", "-f", "h264", "pipe:1"];
  const child = spawn(
    "ffmpeg",
    [
      "-hide_banner",
      "-loglevel",
      "error",
      ...input,
      "-c:v",
      "libx264",
      ...fast,
      ...format,
      ...rate,
      ...output,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const units = new AccessUnits();
  child.stdout.on("data", (bytes: Buffer) => {
    for (const nalUnits of units.push(bytes)) onPicture(nalUnits);
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(`ffmpeg could not be run: ${message}`));
    child.once("exit", (code, signal) => resolve(`ffmpeg ended (${signal ?? `code ${code}`}).`));
  });
  return { ended, stop: () => void child.kill("SIGKILL") };
}
