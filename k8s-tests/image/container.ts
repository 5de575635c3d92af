import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { atEndOfFile } from "../../src/testing";

const run = promisify(execFile);

const { FLEET_STORE, FLEET_IMAGE = "", FLEET_WORKER_IMAGE = "", FLEET_PACKAGES_IMAGE = "" } = process.env;
export const images = {
  main: FLEET_IMAGE,
  worker: FLEET_WORKER_IMAGE,
  packages: FLEET_PACKAGES_IMAGE,
} as const;

/** Options that name the folder in which k8s-tests/image/build keeps its images. */
function store(): string[] {
  if (!FLEET_STORE) throw new Error("There is no image: run k8s-tests/image/run.");
  return FLEET_STORE.split(" ");
}

/** As the chart runs all but the tunnel: nothing can be written but /tmp, nothing can be gained. */
export const locked = [
  ...["--read-only", "--read-only-tmpfs=false", "--tmpfs=/tmp", "--cap-drop=all"],
  "--security-opt=no-new-privileges",
];

export async function podman(...args: string[]): Promise<string> {
  const { stdout } = await run("podman", [...store(), "--runtime", "runc", ...args], {
    maxBuffer: 32 * 1024 * 1024,
  });
  return stdout;
}

/** The folder that has an image's files, until the end of the test file. */
export async function filesOf(image: string): Promise<string> {
  const folder = (await podman("image", "mount", image)).trim().split(/\s+/).at(-1) as string;
  atEndOfFile(() => podman("image", "unmount", image));
  return folder;
}

/** Run a program of the image to its end. Rejects when it fails; `code` and `stderr` are on the error. */
export const runToEnd = (image: string, env: Record<string, string>, ...command: string[]): Promise<string> =>
  podman("run", "--rm", "--network=host", ...locked, ...variables(env), image, ...command);

export interface Container {
  /** Its output so far, both streams. */
  log(): string;
  /** Run a program beside the main one. */
  exec(...command: string[]): Promise<string>;
  /** SIGTERM. Resolves with the exit status. */
  stop(): Promise<number | null>;
}

let count = 0;

/** Start a long-running program of the image; it is ended with the test file at the latest. */
export function start(image: string, env: Record<string, string>, ...command: string[]): Container {
  return startWith(["--network=host", ...locked], image, env, ...command);
}

/** As the tunnel's containers run, in a network of their own: root with all its rights, but nothing to write to. */
export function startPrivileged(image: string, env: Record<string, string>, ...command: string[]): Container {
  const mounts = ["--tmpfs=/tmp", "--tmpfs=/var/run/wireguard"];
  const options = ["--network=none", "--privileged", "--user=0", "--read-only", "--read-only-tmpfs=false"];
  return startWith([...options, ...mounts], image, env, ...command);
}

function startWith(
  options: readonly string[],
  image: string,
  env: Record<string, string>,
  ...command: string[]
): Container {
  const name = `fleet-image-test-${process.pid}-${++count}`;
  const args = ["run", "--rm", `--name=${name}`, ...options, ...variables(env), image, ...command];
  const child = spawn("podman", [...store(), "--runtime", "runc", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const stop = async () => {
    if (child.exitCode === null) await podman("stop", "--time=30", name).catch(() => "it ended meanwhile");
    return ended;
  };
  atEndOfFile(stop);
  return { log: () => said, exec: (...words) => podman("exec", name, ...words), stop };
}

const variables = (env: Record<string, string>): string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
