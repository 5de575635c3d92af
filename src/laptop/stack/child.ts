import { type ChildProcess, fork } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../platform/config";
import { retry } from "../../platform/retry";
import { assertPortIsFree } from "../free-port";
import { endLeftover } from "../servers/leftover";
import { type ServerProcess, supervised } from "../servers/server-process";

interface ChildSpec {
  readonly name: string;
  /** File of `cmd/`, without its ending. */
  readonly entrypoint: string;
  /**
   * Absent when it listens on none. It must be free once the processes of an earlier run have ended; `variable` is
   * how the user moves it.
   */
  readonly port?: { readonly number: number; readonly variable: string };
  /** `.fleet` */
  readonly folder: string;
  readonly env: Environment;
  /** Repeated until it resolves. */
  readonly answers: () => Promise<unknown>;
}

const startLimitMs = 30_000;
/** A crash's message stands above its stack trace. */
const lastLines = 20;

/** The compiled entrypoint, beside this compiled file. */
export const entrypointFile = (entrypoint: string) =>
  join(__dirname, "..", "..", "..", "cmd", `${entrypoint}.js`);

/**
 * Run one of our own processes as a child. It has a session of its own, so that the terminal's Ctrl-C reaches
 * the stack alone, and a channel to us: when that closes, because the stack was killed, it stops by itself.
 * Its output goes to `.fleet/logs`.
 */
export async function startChild(spec: ChildSpec): Promise<ServerProcess> {
  const script = entrypointFile(spec.entrypoint);
  const pidFile = join(spec.folder, "run", `${spec.entrypoint}.pid`);
  await endLeftover(pidFile, script, "SIGTERM");
  if (spec.port) await assertPortIsFree(spec.port.number, `${spec.name} (${spec.port.variable})`);
  const log = openLog(spec.folder, spec.entrypoint);
  const child = fork(script, [], {
    env: spec.env as NodeJS.ProcessEnv,
    stdio: ["ignore", log.descriptor, log.descriptor, "ipc"],
    detached: true,
    execArgv: [],
  });
  closeSync(log.descriptor);
  mkdirSync(join(spec.folder, "run"), { recursive: true });
  writeFileSync(pidFile, `${child.pid}\n`);
  const ended = whenEnded(child, spec, log.file);
  await whenAnswering(child, spec, ended);
  return supervised(child, ended, "SIGTERM");
}

function openLog(folder: string, entrypoint: string): { file: string; descriptor: number } {
  const logs = join(folder, "logs");
  mkdirSync(logs, { recursive: true });
  const file = join(logs, `${entrypoint}.log`);
  // The run before is kept: after a crash it is the one that matters.
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return { file, descriptor: openSync(file, "a", 0o600) };
}

function whenEnded(child: ChildProcess, { name }: ChildSpec, logFile: string): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`${name} could not be run: ${error.message}`));
    child.once("exit", (code, signal) => {
      const lastWords = readFileSync(logFile, "utf8").trim().split("\n").slice(-lastLines).join("\n");
      resolve(`${name} ended (${signal ?? `code ${code}`}). The end of ${logFile}:\n${lastWords}`);
    });
  });
}

async function whenAnswering(child: ChildProcess, spec: ChildSpec, ended: Promise<string>): Promise<void> {
  let end: string | undefined;
  void ended.then((reason) => {
    end = reason;
  });
  const limits = { firstMs: 50, limitMs: startLimitMs, isTransient: () => end === undefined };
  const fault = await retry(spec.answers, limits).then(
    () => undefined,
    (error: Error) => error,
  );
  // Another program may answer at that port while ours has failed for it.
  if (end !== undefined) throw new Error(end);
  if (!fault) return;
  child.kill("SIGKILL");
  throw new Error(`${spec.name} did not answer within ${startLimitMs / 1000} s: ${fault.message}`);
}
