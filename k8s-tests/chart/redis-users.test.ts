import { readFileSync } from "node:fs";
import { join } from "node:path";
import Redis from "ioredis";
import { parse } from "yaml";
import type { Ipv4 } from "../../src/domain/ipv4";
import { freePort } from "../../src/laptop/free-port";
import { startServerProcess } from "../../src/laptop/servers/server-process";
import { atEndOfFile, freshFolder } from "../../src/testing";
import { DroneUsers, type Login } from "../../src/tunnel/edge/drone-users";
import { generatedSecrets } from "./generated";
import { examples, hubAddress, render } from "./helm";
import { type Container, expanded, workloads } from "./pods";
import { chartFolder } from "./values/values-schema";

/** Examples whose hub has an edge, which makes drones' users in a Redis. */
const withTunnel = examples
  .map((name) => ({ name, text: readFileSync(join(chartFolder, "examples", `${name}.yaml`), "utf8") }))
  .map((example) => ({ ...example, values: parse(example.text) as Given }))
  .filter(({ values }) => values.tunnel?.enabled);
const isBundled = ({ values }: (typeof withTunnel)[number]) => values.redis?.enabled ?? true;
const bundled = withTunnel.filter(isBundled).map(({ name }) => name);

/**
 * The bundled Redis as the chart starts it with an example's values, or with none, but for its folders and its port; a
 * URL as a process of ours is given it.
 */
async function bundledRedis(example?: string) {
  const tunnel = { enabled: true, endpointHost: "vpn.example.com" };
  const objects = await render(example ? {} : { tunnel, ...hubAddress }, example);
  // An example may name a Secret of the operator's, which is described to have these keys.
  const passwords = (generatedSecrets(objects)["fleet-redis"] ?? {
    ...{ password: "ours-of-an-operator", "edge-password": "the-edges-of-an-operator" },
  }) as Record<string, string>;
  const containers = workloads(objects).flatMap(({ pod }) => pod.containers);
  const variables = (name: string) =>
    expanded(containers.find((container) => container.name === name) as Container, passwords);
  const files = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "fleet-redis");
  const folder = freshFolder("redis");
  const port = await freePort();
  const start = String((files?.data as { start: string } | undefined)?.start)
    .replaceAll(/\/run\/fleet|(?<=--dir )\/data/g, folder)
    .replace("exec redis-server", `exec redis-server --bind 127.0.0.1 --port ${port}`);
  const server = await startServerProcess({
    name: "Redis",
    command: "sh",
    args: ["-c", start],
    readyText: "Ready to accept connections",
    stopSignal: "SIGTERM",
    options: { env: { ...process.env, ...variables("redis") } },
  });
  atEndOfFile(() => server.stop());
  return (container: string, name: string) =>
    (variables(container)[name] as string).replace("fleet-redis:6379", `127.0.0.1:${port}`);
}

interface Given {
  readonly tunnel?: { readonly enabled?: boolean };
  readonly redis?: { readonly enabled?: boolean };
}

const connect = (url: string, login?: Login) => {
  const address = new URL(url);
  if (login) [address.username, address.password] = [login.username, login.password];
  const redis = new Redis(address.href, {
    maxRetriesPerRequest: 1,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  redis.on("error", () => {});
  atEndOfFile(async () => redis.disconnect());
  return redis;
};

test.each([
  { name: "no example", example: undefined },
  ...bundled.map((example) => ({ name: `the example ${example}`, example })),
])(
  "with $name the bundled Redis gives each user its own rights, and refuses a wrong password",
  async ({ example }) => {
    const url = await bundledRedis(example);
    const ours = connect(url("gateway", "REDIS_URL"));
    await ours.set("revoked:1", "1");
    const edge = connect(url("tunnel", "EDGE_REDIS_URL"));
    const users = new DroneUsers(edge, "the edge's secret");
    const login = await users.ensure("10.71.0.2" as Ipv4);
    const drone = connect(url("gateway", "REDIS_URL"), login);
    expect(await drone.publish("10.71.0.2:output", "hello")).toBe(0);
    await expect(drone.publish("10.71.0.3:output", "hello")).rejects.toThrow("NOPERM");
    expect(await users.keepOnly(() => false)).toBe(1);
    await expect(edge.get("revoked:1")).rejects.toThrow("NOPERM");
    expect(await edge.get("fleet:link:{drone:1}:fence")).toBeNull();
    await expect(edge.set("fleet:link:{drone:1}:fence", "1")).rejects.toThrow("NOPERM");
    await expect(edge.hset("fleet:link:{drone:1}", "a", "b")).rejects.toThrow("NOPERM");
    await expect(edge.publish("10.71.0.2:gamepad_input", "{}")).rejects.toThrow("NOPERM");
    const rejected = connect(url("gateway", "REDIS_URL"), { username: "default", password: "wrong" });
    await expect(rejected.ping()).rejects.toThrow();
  },
);

test("an example with a tunnel and an external Redis names the edge's rights there, and uses no provider that refuses them", () => {
  expect(withTunnel.length).toBeGreaterThan(2);
  for (const { name, text } of withTunnel.filter((example) => !isBundled(example))) {
    expect([name, text]).toEqual([
      name,
      expect.stringMatching(/^ *#.*ACL SETUSER[\s\S]*existingSecret: fleet-external-redis/m),
    ]);
    expect([name, /amazonaws/.test(text)]).toEqual([name, false]);
  }
});
