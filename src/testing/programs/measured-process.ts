import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { atEndOfFile } from "../clean-up";
import { until } from "../until";
import { compiledPrograms } from "./programs";

const MEGABYTE = 2 ** 20;

/** A compiled service in its own process, whose memory and sockets a test can read. */
export interface MeasuredProcess {
  readonly url: string;
  readonly port: number;
  /** Resident now and at its most, in megabytes. */
  memory(): { readonly now: number; readonly peak: number };
  /** Processor time so far of its main thread, which runs the event loop, and of all its threads, in clock ticks. */
  cpuTicks(): { readonly main: number; readonly all: number };
  /** Open sockets, with its listeners and its connections to other services. */
  sockets(): number;
}

/** Runs `cmd/<program>` with these variables and no others; resolves when it is ready. Killed at the end of the file. */
export async function startMeasuredProcess(
  program: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<MeasuredProcess> {
  const child = spawn(process.execPath, [join(compiledPrograms(), "cmd", `${program}.js`)], {
    stdio: "ignore",
    env: { PATH: process.env.PATH, TZ: "UTC", LOG_LEVEL: "silent", DEPLOYMENT: "local", ...env },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEndOfFile(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false, 60_000);
  const read = (name: string) =>
    (Number(
      new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1],
    ) *
      1024) /
    MEGABYTE;
  return {
    url,
    port,
    memory: () => ({ now: read("VmRSS"), peak: read("VmHWM") }),
    cpuTicks: () => ({
      main: ticksOf(`/proc/${child.pid}/task/${child.pid}/stat`),
      all: ticksOf(`/proc/${child.pid}/stat`),
    }),
    sockets: () => {
      const folder = `/proc/${child.pid}/fd`;
      return readdirSync(folder).filter((name) => isSocket(join(folder, name))).length;
    },
  };
}

/** User and system time, which are the 14th and 15th field; the second one is a name in parentheses. */
function ticksOf(file: string): number {
  const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function isSocket(descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith("socket:");
  } catch {
    // Closed since it was listed.
    return false;
  }
}
