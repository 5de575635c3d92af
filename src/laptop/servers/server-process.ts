import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { withTimeout } from "../../platform/with-timeout";

/** A server program that runs as a child of this process. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves with a sentence when the process ends, for any reason. */
  readonly ended: Promise<string>;
  /** Ask it to end, insist after the limit. Resolves when it is gone; safe to call twice. */
  stop(): Promise<void>;
  /** Ask it to end and do not wait, because this process is about to. */
  cut(): void;
}

interface ServerProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Printed by the program, on either stream, once it serves. */
  readonly readyText: string;
  readonly stopSignal: NodeJS.Signals;
  readonly options?: SpawnOptions;
  /** The error in place of Node's ENOENT when the program is not installed. */
  readonly missing?: string;
  readonly readyWithinMs?: number;
}

const STOP_MS = 10_000;
/** Enough of the output to hold the line that says why a server failed. */
const outputKept = 4_000;

/** Start a server program and wait for its ready message. The error otherwise holds its last output. */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const child = spawn(program.command, program.args, {
    ...program.options,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: the terminal's Ctrl-C reaches us, and we end it in order.
    detached: true,
  });
  const ended = whenEnded(child, program);
  await whenReady(child, program, ended);
  return supervised(child, ended, program.stopSignal);
}

/** Of a process that runs; `ended` resolves when it has ended. */
export const supervised = (
  child: ChildProcess,
  ended: Promise<string>,
  stopSignal: NodeJS.Signals,
): ServerProcess => ({
  pid: child.pid as number,
  ended,
  stop: async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(stopSignal);
    const insist = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(insist);
  },
  cut: () => void child.kill(stopSignal),
});

function whenEnded(child: ChildProcess, program: ServerProgram): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ENOENT" && program.missing ? program.missing : error.message),
    );
    child.once("close", (code, signal) => resolve(`${program.name} ended (${signal ?? `code ${code}`}).`));
  });
}

async function whenReady(child: ChildProcess, program: ServerProgram, ended: Promise<string>): Promise<void> {
  let output = "";
  const ready = new Promise<"ready">((resolve) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-outputKept);
      if (output.includes(program.readyText)) resolve("ready");
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
  const limitMs = program.readyWithinMs ?? 30_000;
  const late = `${program.name} was not ready within ${limitMs / 1000} s.`;
  const outcome = await withTimeout(Promise.race([ready, ended]), limitMs, late).catch(() => late);
  if (outcome === "ready") return;
  child.kill("SIGKILL");
  throw new Error(output.trim() ? `${outcome} Its last words:\n${output.trim()}` : outcome);
}
