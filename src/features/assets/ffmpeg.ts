import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * What cameras write. A playlist or a session description is no video but a list of addresses, which ffmpeg would
 * ask for from where we run: whoever uploads one must not have that done.
 */
const FORMATS = "mov,matroska,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,mjpeg,flv,asf,ogg,mxf,dv";
const PROTOCOLS = "http,tcp";

interface Limits {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

const found = new Set<string>();

/** Whether this program is there. Once found it is not begun again: loading its libraries takes a tenth of a second. */
export async function canRun(program: string): Promise<boolean> {
  if (found.has(program)) return true;
  try {
    await run(program, ["-version"], { timeout: 20_000 });
  } catch {
    return false;
  }
  found.add(program);
  return true;
}

/**
 * Have ffmpeg read `source`, an address on loopback, and do with it what the arguments say. Rejects with its own words.
 */
export async function runFfmpeg(
  ffmpeg: string,
  source: string,
  args: readonly string[],
  limits: Limits,
): Promise<void> {
  await run(ffmpeg, ["-nostdin", "-v", "error", ...reading(source), ...args], {
    ...limits,
    env: environment(),
    maxBuffer: 2 ** 20,
  }).catch((error: Error & { stderr?: string; killed?: boolean }) => {
    if (error.killed) throw new Error(`ffmpeg was stopped after ${limits.timeout} ms at the latest.`);
    const told = error.stderr?.trim() || error.message;
    throw new Error(`ffmpeg: ${told.slice(-2_000)}`);
  });
}

/** What ffmpeg says is in it; it ends with an error because no output was asked of it. */
export async function codecsOf(ffmpeg: string, source: string, signal: AbortSignal) {
  const told = await run(ffmpeg, ["-nostdin", "-hide_banner", ...reading(source)], {
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
  return { video: /Video: (\w+)/.exec(told)?.[1], audio: /Audio: (\w+)/.exec(told)?.[1] };
}

const reading = (source: string): string[] => [
  ...["-format_whitelist", FORMATS],
  ...["-protocol_whitelist", PROTOCOLS],
  ...["-i", source],
];

/** Loopback is asked directly, also where a proxy leads out. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  no_proxy: [process.env.no_proxy, "127.0.0.1"].filter(Boolean).join(","),
});

/** Whether another try would end the same way: the store answered, and what it gave is no video. */
export const isBadInput = ({ message }: Error): boolean =>
  /Invalid data found|matches no streams|does not contain any stream|could not find codec|moov atom not found|not on whitelist/i.test(
    message,
  );
