import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Redis from "ioredis";
import type { Ipv4 } from "../../src/domain/ipv4";
import { freePort } from "../../src/laptop/free-port";
import { startServerProcess } from "../../src/laptop/servers/server-process";
import { atEndOfFile, freshFolder } from "../../src/testing";
import { DroneUsers, type Login } from "../../src/tunnel/edge/drone-users";
import { render } from "./helm";
import { type PodSpec, workloads } from "./pods";

/** The bundled Redis as the chart starts it, but for its folder and its port. */
async function bundledRedis() {
  const objects = await render({});
  const secret = objects.find(({ kind, metadata }) => kind === "Secret" && metadata.name === "fleet-redis");
  const data = secret?.stringData as Record<string, string>;
  const { pod } = workloads(objects).find(({ object }) => object.metadata.name === "fleet-redis") as {
    pod: PodSpec;
  };
  const folder = freshFolder("redis");
  writeFileSync(join(folder, "users.conf"), data["users.conf"] as string);
  const port = await freePort();
  const args = (pod.containers[0]?.args ?? [])
    .slice(1)
    .map((word) => word.replace("/etc/fleet", folder).replace(/^\/data$/, folder));
  const server = await startServerProcess({
    name: "Redis",
    command: "redis-server",
    args: [...args, "--bind", "127.0.0.1", "--port", String(port)],
    readyText: "Ready to accept connections",
    stopSignal: "SIGTERM",
    options: { env: process.env },
  });
  atEndOfFile(() => server.stop());
  return (key: string) => (data[key] as string).replace("fleet-redis:6379", `127.0.0.1:${port}`);
}

const connect = (url: string, login?: Login) => {
  const address = new URL(url);
  if (login) [address.username, address.password] = [login.username, login.password];
  const redis = new Redis(address.href, { maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on("error", () => {});
  atEndOfFile(async () => redis.disconnect());
  return redis;
};

test("the bundled Redis lets our processes do everything, the edge make drones' users, read fences and share peers' addresses, and nobody else in", async () => {
  const url = await bundledRedis();
  const ours = connect(url("url"));
  await ours.set("revoked:1", "1");
  const edge = connect(url("edge-url"));
  const users = new DroneUsers(edge, "the edge's secret");
  const login = await users.ensure("10.71.0.2" as Ipv4);
  const drone = connect(url("url"), login);
  expect(await drone.publish("10.71.0.2:output", "hello")).toBe(0);
  await expect(drone.publish("10.71.0.3:output", "hello")).rejects.toThrow("NOPERM");
  expect(await users.keepOnly(() => false)).toBe(1);
  await expect(edge.get("revoked:1")).rejects.toThrow("NOPERM");
  expect(await edge.get("fleet:link:{drone:1}:fence")).toBeNull();
  await expect(edge.set("fleet:link:{drone:1}:fence", "1")).rejects.toThrow("NOPERM");
  expect(await edge.hset("fleet:hub:endpoints", "a public key", "203.0.113.9:51820 1")).toBe(1);
  expect(await edge.hgetall("fleet:hub:endpoints")).toEqual({ "a public key": "203.0.113.9:51820 1" });
  expect(await edge.hdel("fleet:hub:endpoints", "a public key")).toBe(1);
  await expect(edge.hset("fleet:link:{drone:1}", "a", "b")).rejects.toThrow("NOPERM");
  await expect(edge.publish("10.71.0.2:gamepad_input", "{}")).rejects.toThrow("NOPERM");
  const nobody = connect(url("url"), { username: "default", password: "wrong" });
  await expect(nobody.ping()).rejects.toThrow();
});
