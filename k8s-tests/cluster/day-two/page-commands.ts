import { spawn } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../src/platform/process/version";
import { atEndOfFile, freshFolder } from "../../../src/testing";
import { MINUTES } from "../flight";
import { namespace, origin } from "../release";

/** The shell commands of a page of docs/, under one of its headings of the second level. */
export function commandsOf(page: string, heading: string): string {
  const sections = readFileSync(join(packageRoot, "docs", page), "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  const blocks = [...(section ?? "").matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
  if (blocks.length === 0) throw new Error(`docs/${page} has no commands under "${heading}".`);
  return blocks.join("");
}

/** A port of this machine for the store, in place of the page's, which another program may have; no connection takes it. */
const STORE_PORT = 29_000;
/** A page's loop may wait for ever. */
const LIMIT_MS = 4 * MINUTES;

const inThisCluster = (commands: string): string =>
  commands
    .replaceAll(/(-n|--namespace|(?:create|label) namespace) fleet(?![-\w])/g, `$1 ${namespace}`)
    .replaceAll("https://fleet.example.com", origin)
    .replaceAll("service/fleet-minio 9000", `service/fleet-minio ${STORE_PORT}:9000`)
    .replaceAll("http://localhost:9000", `http://localhost:${STORE_PORT}`);

/** Ends all processes of a group; it may be empty. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing was left running.
  }
}

/** A terminal of an operator, in a folder with the chart. What is left running in the background ends with each call. */
export class Terminal {
  readonly folder = freshFolder("operator");

  constructor() {
    symlinkSync(join(packageRoot, "charts"), join(this.folder, "charts"));
  }

  /** Types a page's commands for the release of the tests. Resolves with what they print. */
  async type(...commands: string[]): Promise<string> {
    const child = spawn("bash", ["-euo", "pipefail", "-c", inThisCluster(commands.join("\n"))], {
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, MC_CONFIG_DIR: join(this.folder, "mc") },
    });
    let printed = "";
    let errors = "";
    child.stdout.on("data", (text) => {
      printed += text;
    });
    child.stderr.on("data", (text) => {
      errors += text;
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const closed = new Promise((resolve) => child.once("close", resolve));
    atEndOfFile(async () => child.exitCode === null && endGroup(child.pid));
    const timer = setTimeout(() => endGroup(child.pid), LIMIT_MS);
    const code = await exited;
    clearTimeout(timer);
    endGroup(child.pid);
    await closed;
    if (code !== 0) throw new Error(`The commands ended with ${code ?? "their time"}: ${errors || printed}`);
    return printed;
  }
}
