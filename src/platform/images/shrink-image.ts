import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { finished, type Readable, type Writable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { NICENESS } from "../process/priority";
import { program } from "../process/program";
import { Semaphore } from "../semaphore";

/** An image that is not decoded: another format, too large, damaged, or in need of more memory or time than there is. */
export class RefusedImage extends Error {}

interface Limits {
  /** Of the decoder's writable memory. */
  readonly memoryKib: number;
  readonly cpuSeconds: number;
  /** Milliseconds, from its start. */
  readonly ms: number;
}

/** An interlaced PNG of 50 megapixels takes 230 MB, a WebP of as many 3 s. */
const LIMITS: Limits = { memoryKib: 400_000, cpuSeconds: 10, ms: 60_000 };
/** When the container's memory ends, the kernel ends the decoder first. Callers' requests go before it. */
const LIMITED = `echo 1000 >/proc/self/oom_score_adj 2>/dev/null; ulimit -d "$1" && ulimit -t "$2" && shift 2 && exec nice -n ${NICENESS} "$@"`;
/** Together they take no more memory than one. */
const oneAtATime = new Semaphore(1);

/**
 * The thumbnail of an untrusted image, rotated as its EXIF data say. A process of its own decodes it, with limits on memory
 * and time. `open` is called when it is the image's turn: a source that waits may be closed meanwhile. Rejects with
 * `RefusedImage` when the image itself is the cause, which another attempt would not change, and with the error of a
 * source that fails or ends early.
 */
export const shrinkImage = (open: () => Promise<Readable>, limits: Limits = LIMITS): Promise<Buffer> =>
  oneAtATime.run(async () => decode(await open(), limits));

async function decode(image: Readable, limits: Limits): Promise<Buffer> {
  const child = startDecoder(limits);
  const timer = setTimeout(() => {
    // Does nothing to an image that has arrived.
    image.destroy(new Error(`The image did not arrive within ${limits.ms / 1000} s.`));
    child.kill("SIGKILL");
  }, limits.ms);
  try {
    const outcome = Promise.all([buffer(child.stdout), text(child.stderr), once(child, "exit")]);
    // A decoder that could not be started says so while the image is read.
    outcome.catch(() => undefined);
    // A decoder that refuses the image reads no further; its status says why.
    const sourceFault = await feed(image, child.stdin);
    const [small, reason, [status]] = await outcome;
    if (sourceFault) throw sourceFault;
    if (status === 0 && small.length > 0) return small;
    throw new RefusedImage(
      status === 2 && reason ? reason : "Decoding the image takes more memory or time than is allowed.",
    );
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function startDecoder({ memoryKib, cpuSeconds }: Limits) {
  const { file, execArgv } = program(join(__dirname, "decoder"));
  const command = [process.execPath, "--max-old-space-size=64", ...execArgv, file];
  return spawn("sh", ["-c", LIMITED, "sh", `${memoryKib}`, `${cpuSeconds}`, ...command], {
    env: { PATH: process.env.PATH, NODE_ENV: process.env.NODE_ENV },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Resolves with the source's error, when it failed or ended early. */
async function feed(image: Readable, stdin: Writable): Promise<Error | undefined> {
  let fault: Error | null | undefined;
  finished(image, (error) => {
    // A decoder that ended before its source closes the source.
    if (!stdin.destroyed) fault = error;
  });
  await pipeline(image, stdin).catch(() => undefined);
  return fault ?? undefined;
}
