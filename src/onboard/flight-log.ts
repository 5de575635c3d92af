import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** DataFlash, MAVLink and PX4 logs. */
const LOG = /\.(bin|tlog|ulg)$/i;
const CHECK_EVERY_MS = 500;

/** Milliseconds after disarming, but for `stillMs`. */
export interface LogWaits {
  /** A log that did not grow for as long is whole. ArduPilot writes the rest of its buffer after two seconds. */
  readonly stillMs: number;
  /** No log comes later. ArduPilot writes for as long after disarming. */
  readonly comesMs: number;
  /** A log that grows for longer is written to also while the motors do not run, and is taken as it is. */
  readonly growsMs: number;
}

export const DEFAULT_WAITS: LogWaits = { stillMs: 3_000, comesMs: 15_000, growsMs: 30_000 };

/** The flight whose log is looked for; times in milliseconds since 1970. */
interface LoggedFlight {
  readonly armedAt: number;
  /** The last heartbeat that said so: a log that was begun later may be the next one. */
  readonly lastArmedAt: number;
  readonly disarmedAt: number;
  /** Whether the next flight has begun, which may be in the same log. */
  readonly isFollowed: () => boolean;
}

/** The first bytes of a file; more may be written behind them. */
export interface LogPrefix {
  readonly file: string;
  readonly size: number;
}

/** The log that was written since arming, when it no longer grows, or as much of it as there is when it does not stop. */
export async function findLog(
  folder: string,
  flight: LoggedFlight,
  { stillMs, comesMs, growsMs }: LogWaits,
  ended: AbortSignal,
): Promise<LogPrefix | undefined> {
  let found: LogPrefix | undefined;
  let foundAt = 0;
  for (;;) {
    const now = Date.now();
    const log = await logOf(folder, flight);
    const isSame = log?.file === found?.file && log?.size === found?.size;
    if (!isSame) foundAt = now;
    found = log;
    const waited = flight.isFollowed() ? Number.POSITIVE_INFINITY : now - flight.disarmedAt;
    if (found && (now - foundAt >= stillMs || waited >= growsMs)) return found;
    if (!found && waited >= comesMs) return undefined;
    await delay(Math.min(CHECK_EVERY_MS, stillMs), undefined, { signal: ended });
  }
}

/** The newest; of several, one that was begun in flight: a vehicle may begin its next log when it is disarmed. */
async function logOf(folder: string, { armedAt, lastArmedAt }: LoggedFlight): Promise<LogPrefix | undefined> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => LOG.test(name));
  const logs = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const { mtimeMs, birthtimeMs, size } = await stat(file);
      return { file, size, mtimeMs, isLater: birthtimeMs > lastArmedAt };
    }),
  );
  const [log] = logs
    // File systems keep times in steps of up to a second.
    .filter(({ mtimeMs, size }) => mtimeMs >= armedAt - 1_000 && size > 0)
    .sort((a, b) => Number(a.isLater) - Number(b.isLater) || b.mtimeMs - a.mtimeMs);
  return log && { file: log.file, size: log.size };
}

/** SHA-256 in hex. */
export async function checksumOf({ file, size }: LogPrefix): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { end: size - 1 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
