import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The formats of cameras. A playlist or a session description is a list of URLs: ffmpeg would request them from inside
 * our network for the client that uploaded it.
 */
const FORMATS = "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,mjpeg,flv,asf,ogg,mxf,dv";
const PROTOCOLS = "http,tcp";

interface Limits {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

let starts: Promise<boolean> | undefined;

/** Whether ffmpeg can be started; a process tries it once. */
export function hasFfmpeg(): Promise<boolean> {
  starts ??= run("ffmpeg", ["-version"], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
  return starts;
}

/**
 * Runs ffmpeg on `source`, a URL on loopback, with these arguments. Rejects with the end of its error output.
 */
export async function runFfmpeg(source: string, args: readonly string[], limits: Limits): Promise<void> {
  await run("ffmpeg", ["-nostdin", "-v", "error", ...reading(source), ...args], {
    ...limits,
    env: environment(),
    maxBuffer: 2 ** 20,
  }).catch((error: Error & { stderr?: string; killed?: boolean }) => {
    if (error.killed) throw new Error(`ffmpeg was stopped: it took longer than ${limits.timeout} ms.`);
    const output = error.stderr?.trim() || error.message;
    throw new Error(`ffmpeg: ${output.slice(-2_000)}`);
  });
}

/** The codecs that ffmpeg finds. It exits with an error, since it has no output file. */
export async function codecsOf(source: string, signal: AbortSignal) {
  const output = await run("ffmpeg", ["-nostdin", "-hide_banner", ...reading(source)], {
    signal,
    env: environment(),
    timeout: 60_000,
  }).then(
    ({ stderr }) => stderr,
    (error: NodeJS.ErrnoException & { stderr?: string }) => {
      if (signal.aborted || error.stderr === undefined)
        throw new Error(`ffmpeg did not say what is in a video (${error.code}).`);
      return error.stderr;
    },
  );
  return { video: /Video: (\w+)/.exec(output)?.[1], audio: /Audio: (\w+)/.exec(output)?.[1] };
}

const reading = (source: string): string[] => [
  ...["-format_whitelist", FORMATS],
  ...["-protocol_whitelist", PROTOCOLS],
  ...["-i", source],
];

/** Without a proxy for loopback. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  no_proxy: [process.env.no_proxy, "127.0.0.1"].filter(Boolean).join(","),
});

/** Whether a retry would fail again: the object was read, and it is not a video, or one that takes too long. */
export const isBadInput = ({ message }: Error): boolean =>
  /Invalid data found|matches no streams|does not contain any stream|could not find codec|moov atom not found|not on whitelist|took longer than/i.test(
    message,
  );
