import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { transformFileSync } from "@swc/core";
import { type Os, realOs } from "../../../tunnel/os/os";
import { ShellPool } from "../../../tunnel/os/shell-pool";
import { atEndOfFile } from "../../clean-up";
import { freshFolder } from "../../fresh-servers";
import type { Command, StreamReport, Target } from "./agent";

/** Sockets of `wireguard-go` lie in the file system: each namespace gets a folder of its own for them. */
const HOLD = `mkdir -p /var/run/wireguard && mount -t tmpfs none /var/run/wireguard
ip link set lo up
echo ready
exec cat`;

/**
 * A node of its own on the network: network, mount and process namespace in one. Its first process reads a pipe
 * of ours, so it ends, and the kernel ends everything in it, when the test file is over or this process dies.
 */
export class Namespace {
  private agent: Promise<Agent> | undefined;
  private machine: Os | undefined;

  private constructor(
    readonly name: string,
    private readonly holder: ChildProcessWithoutNullStreams,
    /** Of its first process, as seen from outside. */
    private readonly pid: number,
  ) {}

  static async create(name: string): Promise<Namespace> {
    const flags = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const holder = spawn("unshare", [...flags, "sh", "-c", HOLD]);
    await new Promise<void>((resolve, reject) => {
      let said = "";
      holder.stdout.on("data", (bytes) => `${bytes}`.includes("ready") && resolve());
      holder.stderr.on("data", (bytes) => {
        said += bytes;
      });
      holder.once("exit", () => reject(new Error(`No namespace ${name}: ${said}`)));
    });
    const [pid] = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8").split(" ");
    const namespace = new Namespace(name, holder, Number(pid));
    atEndOfFile(() => namespace.destroy());
    return namespace;
  }

  destroy(): Promise<void> {
    if (this.holder.exitCode !== null) return Promise.resolve();
    const gone = new Promise<void>((resolve) => this.holder.once("exit", () => resolve()));
    this.holder.stdin.end();
    return gone;
  }

  /** The words before a command that run it in here. */
  get prefix(): string[] {
    return ["nsenter", "--target", String(this.pid), "--mount", "--net", "--pid", "--"];
  }

  /** This node as the machine of a tunnel that runs outside. */
  get os(): Os {
    this.machine ??= new ShellPool(this.prefix);
    return this.machine;
  }

  /** Each line is one command. */
  async shell(script: string): Promise<string> {
    return realOs.run([...this.prefix, "sh", "-e"], { input: script });
  }

  /** Connect this node with another by a veth pair; each end gets its CIDR. */
  async link(
    far: Namespace,
    near: { name: string; ip: string },
    there: { name: string; ip: string },
  ): Promise<void> {
    const end = `${near.name}x`;
    await this.shell(`ip link add ${near.name} type veth peer name ${end}
      ip address add ${near.ip} dev ${near.name}
      ip link set ${near.name} up`);
    // From outside: in here the other node's process id means nothing.
    const outside = ["nsenter", "--target", String(this.pid), "--net", "--"];
    await realOs.run([...outside, "ip", "link", "set", end, "netns", String(far.pid)]);
    await far.shell(`ip link set ${end} name ${there.name}
      ip address add ${there.ip} dev ${there.name}
      ip link set ${there.name} up`);
  }

  /** Byte by byte: open echo ports, probe far ones, keep streams running. */
  async echo(...ports: Pick<Target, "protocol" | "port">[]): Promise<void> {
    for (const { protocol, port } of ports) await this.ask({ op: "echo", protocol, port });
  }

  probe(target: Target, limitMs = 1_000, sourcePort?: number): Promise<boolean> {
    return this.ask({
      op: "probe",
      limitMs,
      ...(sourcePort ? { sourcePort } : {}),
      ...target,
    }) as Promise<boolean>;
  }

  stream(name: string, target: Target, everyMs = 20): Promise<unknown> {
    return this.ask({ op: "stream", name, everyMs, ...target });
  }

  report(name: string): Promise<StreamReport> {
    return this.ask({ op: "report", name }) as Promise<StreamReport>;
  }

  /** How many packets came to a UDP echo port, answered or not. */
  packetsReceived(port: number): Promise<number> {
    return this.ask({ op: "heard", port }) as Promise<number>;
  }

  /** A free port of this node's loopback, or this one of every address, that leads to a unix socket. */
  forward(path: string, port?: number): Promise<number> {
    return this.ask({ op: "forward", path, port }) as Promise<number>;
  }

  /** The body of a GET, asked from here. */
  http(url: string): Promise<string> {
    return this.ask({ op: "http", url }) as Promise<string>;
  }

  private async ask(command: Command): Promise<unknown> {
    this.agent ??= Promise.resolve(new Agent(this.prefix));
    return (await this.agent).ask(command);
  }
}

let agentProgram: string | undefined;

/** The agent as plain JavaScript: nothing has to be compiled in each namespace. */
function compiledAgent(): string {
  if (agentProgram) return agentProgram;
  const built = join(__dirname, "agent.js");
  if (existsSync(built)) return built;
  const { code } = transformFileSync(join(__dirname, "agent.ts"), {
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "commonjs" },
  });
  agentProgram = join(freshFolder("agent"), "agent.cjs");
  writeFileSync(agentProgram, code);
  return agentProgram;
}

class Agent {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private next = 0;

  constructor(prefix: readonly string[]) {
    const [program, ...args] = [...prefix, process.execPath, compiledAgent()];
    this.child = spawn(program as string, args);
    let said = "";
    this.child.stderr.on("data", (bytes) => {
      said += bytes;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const { id, value, error } = JSON.parse(line);
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) asked?.reject(new Error(error));
      else asked?.resolve(value);
    });
    this.child.once("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error(`The agent ended: ${said}`));
    });
  }

  ask(command: Command): Promise<unknown> {
    const id = ++this.next;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }
}
