import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { planeNames, planes } from "../../../domain/tunnel-planes";
import { type FakeLeases, HUB_LEASE } from "../../fakes/fake-leases";
import { freshFolder } from "../../fresh-servers";
import { until } from "../../until";
import { type InterruptibleLink, interruptibleLink } from "../../worlds/interruptible-link";
import type { TunnelWorld } from "../../worlds/start-tunnel";
import { HUB_ADDRESS } from "./hub-testbed";
import { forwardFromNode, spawnNodeIn } from "./links";
import { Namespace } from "./namespace";

const ANSWER_LIMIT_MS = 1_000;

interface PairedHubDeps {
  readonly name: "a" | "b";
  /** Last part of the address of the network's end of its link; its own is the next. */
  readonly link: number;
  readonly wan: Namespace;
  readonly world: TunnelWorld;
  readonly leases: FakeLeases;
  readonly programs: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A hub's node. Its daemon is the real entrypoint, and its services are on links that can be cut. */
export class PairedHub {
  private child: ChildProcess | undefined;
  /** The output of its daemons and guards. */
  readonly output: string[] = [];

  private constructor(
    readonly name: string,
    readonly node: Namespace,
    /** Its own address, to which the public one is routed. */
    readonly address: string,
    readonly links: Readonly<Record<"api" | "database" | "objects", InterruptibleLink>>,
    private readonly programs: string,
    private readonly env: Record<string, string>,
    private readonly wan: Namespace,
  ) {}

  static async on(deps: PairedHubDeps): Promise<PairedHub> {
    const { name, link, wan, world, leases, programs } = deps;
    const node = await Namespace.create(`hub ${name}`);
    const [far, near] = [`198.51.100.${link}`, `198.51.100.${link + 1}`];
    await node.link(wan, { name: "eth0", ip: `${near}/30` }, { name: `hub-${name}`, ip: `${far}/30` });
    await node.shell(`ip address add ${HUB_ADDRESS}/32 dev lo
      ip route add default via ${far} src ${HUB_ADDRESS}`);
    // Counts this hub's packets in both directions, on the other end of its link.
    await wan.shell(`iptables -t mangle -A PREROUTING -i hub-${name} -p udp
      iptables -t mangle -A POSTROUTING -o hub-${name} -p udp`);
    const links = {
      api: await interruptibleLink(leases.url),
      database: await interruptibleLink(world.databaseUrl),
      objects: await interruptibleLink(world.objects.url),
    };
    const folder = freshFolder(`hub-${name}`);
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, leases.config(await forwardFromNode(node, links.api.url)).exportConfig());
    const env = {
      ...world.env,
      DATABASE_URL: await forwardFromNode(node, links.database.url),
      S3_ENDPOINT: await forwardFromNode(node, links.objects.url),
      KUBECONFIG: kubeconfig,
      HUB_LEASE: "kubernetes",
      HUB_LEASE_NAME: HUB_LEASE,
      HUB_LEASE_IDENTITY: name,
      HUB_LEASE_PATH: join(folder, "lease.json"),
      TUNNEL_DATAPLANE: "wireguard-go",
      TUNNEL_PORT: "5050",
      LOG_LEVEL: "info",
      ...deps.env,
    };
    return new PairedHub(name, node, near, links, programs, env, wan);
  }

  /** Start the daemon, and wait until it answers; it may not know its role yet. */
  async start(): Promise<void> {
    this.launch();
    await until(async () => (await this.readiness()) !== "away", 60_000);
  }

  /** Start the daemon; `ended` tells when it has ended. */
  launch(): void {
    const child = spawnNodeIn(this.node, [join(this.programs, "cmd", "tunnel.js")], this.env);
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes) => this.output.push(`${bytes}`));
    }
  }

  /** Start another daemon beside the one that serves, as an upgrade does, and end that one when the other is waiting. */
  async replace(): Promise<void> {
    const before = this.child;
    this.output.length = 0;
    this.launch();
    await until(() => this.output.join("").includes("Waiting for this node's hub to end"));
    process.kill(daemonOf(before), "SIGTERM");
  }

  /** `ready`, `standby` and so on; `away` without an answer within a second. */
  async readiness(): Promise<string> {
    // A paused hub does not answer.
    const text = await Promise.race([this.ask("/readyz").catch(() => ""), delay(ANSWER_LIMIT_MS, "")]);
    return (text && JSON.parse(text).status) || "away";
  }

  async metric(name: string, label = ""): Promise<number> {
    const line = (await this.ask("/metrics"))
      .split("\n")
      .find((line) => line.startsWith(name) && line.includes(label));
    return Number(line?.split(" ").at(-1));
  }

  /** To the daemon, not to its guard. */
  signal(signal: NodeJS.Signals): void {
    process.kill(daemonOf(this.child), signal);
    // nsenter stops and goes on with it.
    if (signal === "SIGCONT") process.kill(this.child?.pid as number, signal);
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when the daemon has ended. */
  async ended(): Promise<void> {
    if (this.isRunning) await new Promise((resolve) => this.child?.once("exit", resolve));
  }

  /** UDP packets from this hub's link so far. */
  packetsSent(): Promise<number> {
    return this.counted("PREROUTING", "-i");
  }

  /** UDP packets to this hub's link so far. */
  packetsReceived(): Promise<number> {
    return this.counted("POSTROUTING", "-o");
  }

  private async counted(chain: string, direction: "-i" | "-o"): Promise<number> {
    const rules = await this.wan.shell("iptables-save -c -t mangle");
    const [, packets] =
      new RegExp(`^\\[(\\d+):\\d+\\] -A ${chain} ${direction} hub-${this.name} -p udp`, "m").exec(rules) ??
      [];
    return Number(packets);
  }

  /** Names of its planes' interfaces that are up. */
  async upPlanes(): Promise<string[]> {
    const links = await this.node.shell("ip -o link show up");
    return planeNames.map((name) => planes[name].interface).filter((name) => links.includes(` ${name}:`));
  }

  /** When each of its peers last shook hands, seconds since the epoch; 0 for one that has not. */
  async handshakes(): Promise<number[]> {
    const shown = await this.node.shell(
      planeNames.map((name) => `wg show ${planes[name].interface} latest-handshakes || true`).join("\n"),
    );
    return shown
      .split("\n")
      .filter(Boolean)
      .map((line) => Number(line.split("\t")[1]));
  }

  private ask(path: string): Promise<string> {
    return this.node.http(`http://127.0.0.1:5050${path}`);
  }
}

/** nsenter waits for the daemon, which is its only child. */
function daemonOf(nsenter: ChildProcess | undefined): number {
  const [daemon] = readFileSync(`/proc/${nsenter?.pid}/task/${nsenter?.pid}/children`, "utf8").split(" ");
  return Number(daemon);
}
