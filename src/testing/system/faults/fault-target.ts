import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { sendSignal } from "../../../laptop/servers/leftover";
import type { ServerProcess } from "../../../laptop/servers/server-process";
import { atEndOfFile } from "../../clean-up";
import type { Network, NetworkPath } from "./network";

/** One process of a deployment that a fault affects, and that is restarted or resumed afterwards, as by a supervisor. */
export class FaultTarget {
  private running: ServerProcess | undefined;

  private constructor(
    readonly name: string,
    private readonly start: () => Promise<ServerProcess>,
    /** The network paths between it and other processes, in either direction. */
    private readonly paths: readonly NetworkPath[],
    private readonly network: Network,
  ) {}

  /** `start` starts it anew at the same address, on what it left on disk. It is ended after the file. */
  static async start(
    name: string,
    start: () => Promise<ServerProcess>,
    paths: readonly NetworkPath[],
    network: Network,
  ): Promise<FaultTarget> {
    const target = new FaultTarget(name, start, paths, network);
    atEndOfFile(async () => target.end());
    await target.restart();
    return target;
  }

  /** SIGKILL to it and all its children at once. */
  async kill(): Promise<void> {
    const { running } = this;
    if (!running) return;
    signalTree(running.pid, "SIGKILL");
    await running.ended;
    this.running = undefined;
  }

  /** Tries again while another process has its port for a moment. */
  async restart(): Promise<void> {
    const deadline = Date.now() + 20_000;
    while (!this.running) {
      this.running = await this.start().catch(async (error: unknown) => {
        if (Date.now() > deadline) throw error;
        await delay(250);
        return undefined;
      });
    }
  }

  pause(): void {
    if (this.running) signalTree(this.running.pid, "SIGSTOP");
  }

  resume(): void {
    if (this.running) signalTree(this.running.pid, "SIGCONT");
  }

  /** Drops all packets between it and other processes, without an error. */
  partition(): void {
    this.network.lose(this.paths, 1);
  }

  /** Drops a third of the packets between it and other processes. */
  disturb(): void {
    this.network.lose(this.paths, 1 / 3);
  }

  /** Unacknowledged bytes are sent again when TCP next retransmits. */
  mend(): void {
    this.network.mend(this.paths);
  }

  /** It is reached again, but over new connections only. */
  replace(): void {
    this.network.replace(this.paths);
  }

  private async end(): Promise<void> {
    this.resume();
    await this.running?.stop();
  }
}

/** The process before its children, so that it starts no more of them. */
function signalTree(root: number, signal: NodeJS.Signals): void {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const tree = [root];
  for (const pid of tree)
    tree.push(...processes.filter(([, parent]) => parent === pid).map(([child]) => child));
  for (const pid of tree) sendSignal(pid, signal);
}
