import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileOnLoad } from "../../../platform/process/program";
import { packageRoot } from "../../../platform/process/version";
import { freshFolder } from "../../fresh-servers";
import { Metrics } from "../../scrape";
import { until } from "../../until";
import type { Namespace } from "./namespace";

export interface Daemon {
  readonly gone: Promise<void>;
  /** SIGKILL, at once. */
  kill(): void;
  metrics(): Promise<string>;
  /** As `Metrics.value`. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
}

const NOBODY = "nobody";

/** Runs the real entrypoint as a process of its own on a hub, one daemon after the other. */
export class DaemonHost {
  private readonly texts: string[] = [];
  /** Holds a wrapper of `wg` that fails for chosen arguments. */
  private readonly folder = freshFolder("hub-programs");

  constructor(
    private readonly hub: Namespace,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.refuse(undefined);
    const script = `#!/bin/sh
refused=$(cat ${this.folder}/refused)
case "$*" in *"$refused"*) echo "Unable to modify interface: No buffer space available" >&2; exit 1 ;; esac
PATH=\${PATH#*:} exec wg "$@"
`;
    writeFileSync(join(this.folder, "wg"), script);
    chmodSync(join(this.folder, "wg"), 0o755);
  }

  /** The output of all daemons. */
  get output(): string {
    return this.texts.join("");
  }

  /** Makes `wg` fail when its arguments contain this text, such as one peer's key. */
  refuse(words: string | undefined): void {
    writeFileSync(join(this.folder, "refused"), words ?? NOBODY);
  }

  /** `env` goes to the folder whose TypeScript is compiled as it is loaded; `nsenter` goes to the root. */
  run(...args: string[]): ChildProcess {
    return this.runWith({}, ...args);
  }

  /** Resolves when it is ready. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<Daemon> {
    const child = this.runWith(env);
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    // nsenter waits for the daemon, which is its only child.
    const pid = () =>
      Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0]);
    const ask = (path: string) => this.hub.http(`http://127.0.0.1:5050${path}`);
    await until(async () => (await ask("/readyz")).includes('"ready"'), 60_000);
    return {
      gone,
      kill: () => {
        if (child.exitCode === null && child.signalCode === null) process.kill(pid(), "SIGKILL");
      },
      metrics: () => ask("/metrics"),
      metric: async (name, labels) => new Metrics(await ask("/metrics")).value(name, labels),
    };
  }

  private runWith(env: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
    const node = ["env", "-C", packageRoot, process.execPath, "--require", compileOnLoad];
    const [program, ...words] = [...this.hub.prefix, ...node, "cmd/tunnel.ts", ...args];
    const PATH = `${this.folder}:${process.env.PATH}`;
    const child = spawn(program as string, words, {
      env: { PATH, ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes) => this.texts.push(`${bytes}`));
    }
    return child;
  }
}
