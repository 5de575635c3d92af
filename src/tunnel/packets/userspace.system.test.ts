import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { compiledPrograms } from "../../testing/programs/programs";
import { asRoot, controlStream, type HubTestbed, hubTestbed } from "../../testing/system/namespaces";
import { until } from "../../testing/until";
import { ENDPOINTS_KEY } from "../client-configs/store";
import type { Tunnel } from "../index";

const tcp = (port: number) => ({ protocol: "tcp" as const, port });

let testbed: HubTestbed;
let tunnel: Tunnel;
let userspace: ChildProcess;
let longest: () => Promise<number>;

/** As in a pod: one container runs the daemon, another `wireguard-go`, on the same network. */
beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  testbed = await hubTestbed();
  tunnel = await startDaemon();
  const [program, ...words] = [...testbed.hub.prefix, process.execPath];
  const entrypoint = `${compiledPrograms()}/cmd/tunnel.js`;
  userspace = spawn(program as string, [...words, entrypoint, "--userspace"], {
    env: { PATH: process.env.PATH, TUNNEL_DATAPLANE: "wireguard-go", LOG_LEVEL: "error" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}, 120_000);

afterAll(() => stopUserspace("SIGKILL"));

const startDaemon = () =>
  testbed.world.start(
    { os: testbed.hub.os, dataplane: "wireguard-go" },
    { TUNNEL_WIREGUARD_EXTERNAL: "true", DB_REFRESH_SECONDS: "3600" },
  );

/** nsenter waits for the process, which is its only child. */
async function stopUserspace(signal: NodeJS.Signals): Promise<void> {
  if (!userspace || userspace.exitCode !== null || userspace.signalCode !== null) return;
  const gone = new Promise((resolve) => userspace.once("exit", resolve));
  const children = readFileSync(`/proc/${userspace.pid}/task/${userspace.pid}/children`, "utf8");
  process.kill(Number(children.split(" ")[0]), signal);
  await gone;
}

const ann = () => testbed.operators[0].client.node;
const drone = () => testbed.drones[0];
const running = async () =>
  (await testbed.hub.shell("pidof wireguard-go || true")).trim().split(" ").filter(Boolean).sort();

asRoot("the daemon waits for interfaces that another process makes, and sets them up", async () => {
  await until(() => tunnel.lifecycle.state === "ready");
  await testbed.connectAll();
  await drone().client.node.echo(tcp(5001), tcp(22));
  await until(() => ann().probe({ host: drone().ip, ...tcp(5001) }));
  expect(await running()).toHaveLength(2);
});

asRoot("a stream continues while the daemon is replaced", async () => {
  longest = await controlStream(ann(), drone().client.node, 5001);
  await ann().stream("steady", { host: drone().ip, ...tcp(5001) });
  await until(async () => (await ann().report("steady")).echoed > 10);
  const before = await running();
  await tunnel.lifecycle.stop("the pod's daemon is replaced");
  tunnel = await startDaemon();
  await until(() => tunnel.lifecycle.state === "ready");
  const { echoed } = await ann().report("steady");
  await until(async () => (await ann().report("steady")).echoed > echoed + 10);
  const report = await ann().report("steady");
  expect(report.sent - report.echoed).toBeLessThanOrEqual(2 + report.worstMs / 20);
  expect(report.worstMs).toBeLessThan(await longest());
  expect(await running()).toEqual(before);
});

asRoot("a client's new endpoint is stored within seconds, before the next tick", async () => {
  const { client, ip } = drone();
  const isKept = async () => {
    const kept = JSON.parse((await testbed.world.configs.get(ENDPOINTS_KEY)) ?? "{}");
    return Object.values(kept).includes(await client.endpoint());
  };
  await until(isKept, 10_000);
  await client.node.shell("wg set wg0 listen-port 40404");
  expect(await isKept()).toBe(false);
  await until(() => ann().probe({ host: ip, ...tcp(22) }));
  await until(isKept, 10_000);
});

asRoot(
  "a killed wireguard-go is restarted by its own process, the daemon configures it, and clients reconnect",
  async () => {
    const before = await running();
    await testbed.hub.shell("kill -9 $(pidof wireguard-go)");
    await until(async () => (await running()).length === 2 && (await running()).join() !== before.join());
    await until(() => ann().probe({ host: drone().ip, ...tcp(22) }));
    await testbed.world.db("users").where({ id: testbed.operators[0].id }).delete();
    await until(
      async () => !(await testbed.hub.shell("wg show users0 allowed-ips")).includes("10.70.0.2/32"),
    );
  },
);

asRoot("the userspace process removes its interfaces when it stops, and leaves no process", async () => {
  await stopUserspace("SIGTERM");
  expect(await running()).toEqual([]);
  expect(await testbed.hub.shell("ip -o link")).not.toMatch(/users0|drones0/);
});
