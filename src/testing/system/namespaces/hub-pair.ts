import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join as inFolder } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type PlaneName, planeNames, planes } from "../../../domain/tunnel-planes";
import { openObjects } from "../../../platform/objects/client";
import { createLogger } from "../../../platform/process/log";
import { openRedis, type Redis, redisReady } from "../../../platform/redis/client";
import { ConfigStore, ENDPOINTS_KEY } from "../../../tunnel/client-configs/store";
import { ENDPOINTS_HASH } from "../../../tunnel/ha/endpoint-sharing";
import { atEndOfFile } from "../../clean-up";
import { FakeLeases, HUB_LEASE } from "../../fakes/fake-leases";
import { freshFolder, freshRedis } from "../../fresh-servers";
import { compiledPrograms } from "../../programs/programs";
import { until } from "../../until";
import { type InterruptibleLink, interruptibleLink } from "../../worlds/interruptible-link";
import { TEST_VPN_BUCKET, type TunnelWorld, tunnelWorld } from "../../worlds/start-tunnel";
import { HUB_ADDRESS, type Member } from "./hub-testbed";
import { forwardFromNode, spawnNodeIn } from "./links";
import { Namespace } from "./namespace";
import { VpnClient } from "./vpn-client";

/** How often the floating address checks the hubs' readiness, as a load balancer does. */
const CHECK_EVERY_MS = 1_000;
const ANSWER_LIMIT_MS = 1_000;

/** Two hubs with the same keys, one public address that follows readiness, an operator and their drone, both idle. */
export interface HubPair {
  readonly world: TunnelWorld;
  readonly redis: Redis;
  readonly leases: FakeLeases;
  readonly hubs: readonly [PairedHub, PairedHub];
  readonly address: FloatingAddress;
  readonly operator: Member;
  readonly drone: Member;
  /** Give both clients their configs anew, which makes them shake hands, and wait until the drone echoes. */
  connect(limitMs?: number): Promise<void>;
  /** Whether the hubs have shared the clients' current endpoints. */
  areEndpointsShared(): Promise<boolean>;
  /** Deletes the peers' endpoints from the object store. */
  forgetEndpoints(): Promise<void>;
}

export const PAIR_LEASE = HUB_LEASE;

export async function hubPair(env: Readonly<Record<string, string>> = {}): Promise<HubPair> {
  const [world, server, leases, wan] = await Promise.all([
    tunnelWorld(),
    freshRedis(),
    FakeLeases.listening(),
    Namespace.create("wan"),
  ]);
  await wan.shell("echo 1 > /proc/sys/net/ipv4/ip_forward");
  const redis = openRedis(server.url, createLogger("test", "silent"));
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  const programs = compiledPrograms();
  const hub = (name: "a" | "b", link: number) =>
    PairedHub.on({ name, link, wan, world, redisUrl: server.url, leases, programs, env });
  const hubs = [await hub("a", 1), await hub("b", 5)] as const;
  const address = new FloatingAddress(wan, hubs);
  const ann = await VpnClient.create("ann", wan, HUB_ADDRESS, 1);
  const d1 = await VpnClient.create("d1", wan, HUB_ADDRESS, 2);
  const operator = { client: ann, ...(await world.fleet.user("10.70.0.2")) };
  const drone = { client: d1, ...(await world.fleet.drone("10.71.0.2", operator.id)) };
  const connect = async (limitMs = 20_000) => {
    await Promise.all([join(world, "users", operator), join(world, "drones", drone)]);
    await until(() => droneEchoes({ operator, drone }), limitMs);
  };
  await d1.node.echo({ protocol: "tcp", port: 22 });
  const areShared = async () => {
    const shared = Object.values(await redis.hgetall(ENDPOINTS_HASH)).map((text) => text.split(" ")[0]);
    return (await Promise.all([ann, d1].map((client) => client.endpoint()))).every((at) =>
      shared.includes(at),
    );
  };
  const forgetEndpoints = async () => {
    const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = world.env as Store;
    const store = { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION: "us-east-1" };
    const objects = openObjects(store);
    await new ConfigStore(objects, TEST_VPN_BUCKET).delete(ENDPOINTS_KEY);
    objects.destroy();
  };
  return {
    world,
    redis,
    leases,
    hubs,
    address,
    operator,
    drone,
    connect,
    areEndpointsShared: areShared,
    forgetEndpoints,
  };
}

type Store = Record<"S3_ENDPOINT" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>;

/** With the config that the hub published. */
async function join({ objects }: TunnelWorld, plane: PlaneName, { id, client }: Member): Promise<void> {
  const url = `${objects.url}/${TEST_VPN_BUCKET}/vpn/${plane}/${id}.conf`;
  const config = await until(async () => {
    const text = await (await fetch(url)).text();
    // The test's store shows an object while it is still written.
    return text.endsWith("PersistentKeepalive = 25\n") && text;
  }, 20_000);
  await client.join(config);
}

/** Whether the drone echoes a byte of the operator through the hub. */
export const droneEchoes = ({ operator, drone }: Pick<HubPair, "operator" | "drone">): Promise<boolean> =>
  operator.client.node.probe({ host: drone.ip, protocol: "tcp", port: 22 }, 500);

interface ServiceDeps {
  readonly name: "a" | "b";
  /** Last part of the address of the network's end of its link; its own is the next. */
  readonly link: number;
  readonly wan: Namespace;
  readonly world: TunnelWorld;
  readonly redisUrl: string;
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
    readonly links: Readonly<Record<"api" | "redis" | "database" | "objects", InterruptibleLink>>,
    private readonly programs: string,
    private readonly env: Record<string, string>,
    private readonly wan: Namespace,
  ) {}

  static async on(deps: ServiceDeps): Promise<PairedHub> {
    const { name, link, wan, world, redisUrl, leases, programs } = deps;
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
      redis: await interruptibleLink(redisUrl),
      database: await interruptibleLink(world.databaseUrl),
      objects: await interruptibleLink(world.objects.url),
    };
    const folder = freshFolder(`hub-${name}`);
    const kubeconfig = inFolder(folder, "kubeconfig");
    writeFileSync(kubeconfig, leases.config(await forwardFromNode(node, links.api.url)).exportConfig());
    const env = {
      ...world.env,
      DATABASE_URL: await forwardFromNode(node, links.database.url),
      S3_ENDPOINT: await forwardFromNode(node, links.objects.url),
      HUB_REDIS_URL: await forwardFromNode(node, links.redis.url),
      KUBECONFIG: kubeconfig,
      HUB_LEASE: "kubernetes",
      HUB_LEASE_NAME: PAIR_LEASE,
      HUB_LEASE_NAMESPACE: "fleet",
      HUB_LEASE_IDENTITY: name,
      HUB_LEASE_PATH: inFolder(folder, "lease.json"),
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

  /** Start the daemon; `gone` tells when it has ended. */
  launch(): void {
    const child = spawnNodeIn(this.node, [inFolder(this.programs, "cmd", "tunnel.js")], this.env);
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes) => this.output.push(`${bytes}`));
    }
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
    const nsenter = this.child?.pid as number;
    // nsenter waits for the daemon, which is its only child, and stops and goes on with it.
    const [daemon] = readFileSync(`/proc/${nsenter}/task/${nsenter}/children`, "utf8").split(" ");
    process.kill(Number(daemon), signal);
    if (signal === "SIGCONT") process.kill(nsenter, signal);
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

/** The public address, routed to the hub that is ready, as by a load balancer or keepalived. */
class FloatingAddress {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private at: PairedHub | undefined;
  /** Milliseconds since the epoch. */
  movedAt = 0;

  constructor(
    private readonly wan: Namespace,
    private readonly hubs: readonly PairedHub[],
  ) {
    atEndOfFile(async () => this.stop());
    this.watch();
  }

  get target(): PairedHub | undefined {
    return this.at;
  }

  /** Routes the address to this hub, ready or not. */
  async routeTo(hub: PairedHub): Promise<void> {
    await this.wan.shell(`ip route replace ${HUB_ADDRESS}/32 via ${hub.address}`);
  }

  private stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private watch(): void {
    this.timer = setTimeout(() => {
      void this.look()
        .catch(() => {})
        .finally(() => this.stopped || this.watch());
    }, CHECK_EVERY_MS);
  }

  private async look(): Promise<void> {
    const states = await Promise.all(this.hubs.map((hub) => hub.readiness()));
    const ready = this.hubs.filter((_, index) => states[index] === "ready");
    const [next] = ready;
    if (ready.length !== 1 || !next || next === this.at) return;
    await this.routeTo(next);
    this.at = next;
    this.movedAt = Date.now();
  }
}
