import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { packageRoot } from "../platform/version";
import { atEndOfFile, freshFolder } from "../testing";
import { asRoot, controlStream, type HubTown, hubTown } from "../testing/namespaces";
import { until } from "../testing/until";

const tcp = (port: number) => ({ protocol: "tcp" as const, port });

let town: HubTown;
let database: Neighbour;
let store: Neighbour;
let env: Record<string, string>;
let daemon: Daemon;
let longest: () => Promise<number>;
/** All that any of the daemons printed, at the most talkative level. */
const said: string[] = [];

/** The real entrypoint, as a process of its own on the hub, with cables to its neighbours that a test can cut. */
beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  town = await hubTown();
  database = await neighbour(town.world.env.DATABASE_URL as string);
  store = await neighbour(town.world.env.S3_ENDPOINT as string);
  env = {
    ...town.world.env,
    DATABASE_URL: database.url(await town.hub.forward(database.path)),
    S3_ENDPOINT: store.url(await town.hub.forward(store.path)),
    TUNNEL_PORT: "5050",
    LOG_LEVEL: "trace",
    DB_REFRESH_SECONDS: "1",
  };
  daemon = await startDaemon();
  await town.connectAll();
  for (const { client } of town.drones) await client.node.echo(tcp(5001), tcp(22));
  await until(() => town.operators[0].client.node.probe({ host: town.drones[0].ip, ...tcp(5001) }), 20_000);
  longest = await controlStream(town.operators[0].client.node, town.drones[0].client.node, 5001);
  await town.operators[0].client.node.stream("steady", { host: town.drones[0].ip, ...tcp(5001) });
}, 120_000);

afterAll(() => daemon?.kill());

const ann = () => town.operators[0].client.node;

/** The stream that has run since the beginning has lost nothing so far and goes on. */
async function steady(): Promise<void> {
  const { echoed } = await ann().report("steady");
  await until(async () => (await ann().report("steady")).echoed > echoed + 10);
  const report = await ann().report("steady");
  expect(report.sent - report.echoed).toBeLessThanOrEqual(2 + report.worstMs / 20);
  expect(report.worstMs).toBeLessThan(await longest());
}

const peers = async (name: string) =>
  (await town.hub.shell(`wg show ${name} allowed-ips`)).split("\n").filter(Boolean).sort();
/** Everything of the hub that a restart must not change, the interfaces' indexes included. */
const footprint = async () => [
  await peers("users0"),
  await peers("drones0"),
  await town.hub.shell("ip -o link show users0; ip -o link show drones0"),
];

asRoot(
  "a daemon that is killed and started again is invisible to running tunnels",
  async () => {
    const before = await footprint();
    daemon.kill();
    await daemon.gone;
    await steady();
    daemon = await startDaemon();
    await steady();
    expect(await footprint()).toEqual(before);
  },
  60_000,
);

asRoot(
  "Postgres down: live tunnels stay, a restart of the daemon included; back again, changes go on",
  async () => {
    database.cut();
    const before = await peers("drones0");
    await until(async () => (await daemon.metric("fleet_tunnel_failures_total", "database")) > 0, 20_000);
    daemon.kill();
    await daemon.gone;
    daemon = await startDaemon();
    await until(async () => (await daemon.metric("fleet_tunnel_failures_total", "database")) > 0, 20_000);
    expect(await peers("drones0")).toEqual(before);
    await steady();
    database.mend();
    const owner = town.operators[0].id;
    const drone = await town.world.fleet.drone("10.71.2.1", owner);
    await until(async () => (await peers("drones0")).some((line) => line.includes("10.71.2.1/32")), 20_000);
    await town.world.fleet.deleteDrone(drone.id);
  },
  90_000,
);

asRoot(
  "object store down: live peers stay, even over a restart, a new one waits and is not lost",
  async () => {
    store.cut();
    daemon.kill();
    await daemon.gone;
    daemon = await startDaemon();
    await town.world.fleet.drone("10.71.2.2", town.operators[0].id);
    await until(async () => (await daemon.metric("fleet_tunnel_failures_total", "configs")) > 0, 30_000);
    expect((await peers("drones0")).some((line) => line.includes("10.71.2.2/32"))).toBe(false);
    expect((await peers("drones0")).some((line) => line.includes("10.71.0.2/32"))).toBe(true);
    await steady();
    store.mend();
    await until(async () => (await peers("drones0")).some((line) => line.includes("10.71.2.2/32")), 30_000);
  },
  90_000,
);

asRoot(
  "wireguard-go killed: brought back by itself, and clients return with the config they have",
  async () => {
    const pid = (await town.hub.shell("pidof -s wireguard-go || true")).trim();
    if (pid) await town.hub.shell("kill -9 $(pidof wireguard-go)");
    else await town.hub.shell("ip link delete users0; ip link delete drones0");
    await until(
      async () => (await peers("drones0")).length > 0 && (await peers("users0")).length > 0,
      20_000,
    );
    await until(() => ann().probe({ host: town.drones[0].ip, ...tcp(22) }), 10_000);
    // A drone that was idle is spoken to first; by itself it would stay away for up to two minutes.
    await until(() => ann().probe({ host: town.drones[1].ip, ...tcp(22) }), 5_000);
  },
  100_000,
);

asRoot(
  "--teardown removes what is ours and nothing else; a rebuild brings every client back with its old config",
  async () => {
    daemon.kill();
    await daemon.gone;
    await town.hub.shell("iptables -A FORWARD -p tcp --dport 9 -j DROP; ipset create others hash:ip");
    const child = runTunnel("--teardown");
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    const left = await town.hub.shell("iptables-save; ipset list -name; ip -o link");
    expect(left).not.toMatch(/FLEET|fleet-pairs|users0|drones0/);
    expect(left).toMatch(/-A FORWARD -p tcp -m tcp --dport 9 -j DROP/);
    expect(left).toContain("others");
    daemon = await startDaemon();
    // Idle ones too: the hub remembers where it heard them last.
    await Promise.all([
      until(() => ann().probe({ host: town.drones[0].ip, ...tcp(22) }), 10_000),
      until(() => town.operators[1].client.node.probe({ host: town.drones[2].ip, ...tcp(22) }), 10_000),
    ]);
  },
  120_000,
);

asRoot("through all of this no private key was printed or shown in a metric", async () => {
  const text = said.join("") + (await daemon.metrics());
  expect(text).toContain("a peer was set");
  expect(text).toContain("fleet_tunnel_peers");
  const folder = [
    ...town.operators.map(({ id }) => `users/${id}`),
    ...town.drones.map(({ id }) => `drones/${id}`),
  ];
  const keys = await Promise.all(
    folder.map(async (name) => {
      const config = await (await fetch(`${town.world.objects.url}/fleet-vpn/vpn/${name}.conf`)).text();
      return /PrivateKey = (\S+)/.exec(config)?.[1] as string;
    }),
  );
  for (const key of [...keys, env.USERS_PRIVATE_KEY, env.DRONES_PRIVATE_KEY]) expect(text).not.toContain(key);
});

interface Neighbour {
  readonly path: string;
  url(port: number): string;
  cut(): void;
  mend(): void;
}

/** A unix socket that leads to a server of this test's, and can be cut. */
async function neighbour(to: string): Promise<Neighbour> {
  const path = join(freshFolder("cable"), "socket");
  const open = new Set<Socket>();
  let whole = true;
  const server: Server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(Number(new URL(to).port), new URL(to).hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  atEndOfFile(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    path,
    url: (port) => {
      const url = new URL(to);
      url.hostname = "127.0.0.1";
      url.port = String(port);
      return url.href;
    },
    cut,
    mend: () => {
      whole = true;
    },
  };
}

interface Daemon {
  readonly gone: Promise<void>;
  /** SIGKILL, at once. */
  kill(): void;
  metrics(): Promise<string>;
  metric(name: string, label?: string): Promise<number>;
}

/** `env` goes to the folder whose TypeScript is compiled as it is loaded; `nsenter` goes to the root. */
function runTunnel(...args: string[]): ChildProcess {
  const node = ["env", "-C", packageRoot, process.execPath, "--require", "@swc-node/register"];
  const [program, ...words] = [...town.hub.prefix, ...node, "cmd/tunnel.ts", ...args];
  const { PATH = "" } = process.env;
  const child = spawn(program as string, words, {
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => said.push(`${bytes}`));
  return child;
}

async function startDaemon(): Promise<Daemon> {
  const child = runTunnel();
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // nsenter waits for the daemon, which is its only child.
  const pid = () =>
    Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0]);
  const ask = (path: string) => town.hub.http(`http://127.0.0.1:5050${path}`);
  await until(async () => (await ask("/readyz")).includes('"ready"'), 60_000);
  return {
    gone,
    kill: () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(pid(), "SIGKILL");
    },
    metrics: () => ask("/metrics"),
    metric: async (name, label = "") => {
      const line = (await ask("/metrics"))
        .split("\n")
        .find((line) => line.startsWith(name) && line.includes(label));
      return Number(line?.split(" ").at(-1));
    },
  };
}
