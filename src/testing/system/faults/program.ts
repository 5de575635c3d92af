import { fork } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ServerProcess, supervised } from "../../../laptop/servers/server-process";
import { withTimeout } from "../../../platform/with-timeout";

const READY_MS = 30_000;

/**
 * Starts a compiled program and waits for its ready message. Its output goes to a file. It ends when this process ends.
 */
export async function startProgram(
  path: string,
  { readyText, logFile, env }: { readyText: string; logFile: string; env: Record<string, string> },
): Promise<ServerProcess> {
  const child = fork(path, {
    execArgv: [],
    silent: true,
    env: { PATH: process.env.PATH, TZ: "UTC", ...env },
  });
  const log = createWriteStream(logFile, { flags: "a" });
  child.stderr?.pipe(log, { end: false });
  child.stdout?.pipe(log, { end: false });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(`${path} ended (${signal ?? `code ${code}`}).`));
  });
  void ended.then(() => log.end());
  const ready = new Promise<"ready">((resolve) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said = said.slice(-readyText.length) + chunk.toString();
      if (said.includes(readyText)) resolve("ready");
    });
  });
  const late = `${path} was not ready in time.`;
  const outcome = await withTimeout(Promise.race([ready, ended]), READY_MS, late).catch(() => late);
  if (outcome !== "ready") {
    child.kill("SIGKILL");
    throw new Error(`${outcome} Its last words:\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
  }
  return supervised(child, ended, "SIGTERM");
}

/** The compiled entrypoint of this process. */
export const entrypoint = (programs: string, name: string): string => join(programs, "cmd", `${name}.js`);

/** A compiled program of the tests' own. */
export const testProgram = (programs: string, name: string): string =>
  join(programs, "src", "testing", "system", "faults", `${name}.js`);
