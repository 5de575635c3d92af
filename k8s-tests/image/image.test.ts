import { generateKeyPairSync, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { freePort } from "../../src/laptop/free-port";
import { freshDatabase, freshMail, freshObjects, freshRedis } from "../../src/testing";
import { until } from "../../src/testing/until";
import { generateKeyPair } from "../../src/tunnel/wireguard/keys";
import { type Container, images, podman, runToEnd, start, startPrivileged } from "./container";

const LIMIT_BYTES = 350 * 1000 * 1000;
const START_MS = 60_000;
let env: Record<string, string>;

beforeAll(async () => {
  const [database, redis, objects, mail] = await Promise.all([
    ...([freshDatabase(), freshRedis(), freshObjects("fleet", "fleet-vpn"), freshMail()] as const),
  ]);
  env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SMTP_URL: mail.url,
    S3_ENDPOINT: objects.url,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    ACCESS_PROFILE: "strict",
    JWT_SECRET: randomBytes(32).toString("hex"),
    EDGE_SECRET: randomBytes(16).toString("hex"),
    TUNNEL_API_SECRET: randomBytes(16).toString("hex"),
    ARCHIVE_SIGNING_KEY: generateKeyPairSync("ed25519")
      .privateKey.export({ type: "pkcs8", format: "der" })
      .toString("base64"),
    USERS_PRIVATE_KEY: generateKeyPair().privateKey,
    DRONES_PRIVATE_KEY: generateKeyPair().privateKey,
    VPN_ENDPOINT_HOST: "vpn.example.com",
  };
});

/** Answers its probes, and ends well on SIGTERM. */
async function expectServesAndStops(container: Container, port: number): Promise<void> {
  await until(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return response.status === 200 || Promise.reject(new Error(`${response.status}\n${container.log()}`));
  }, START_MS);
  const { status } = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(status).toBe(200);
  expect(await container.stop()).toBe(0);
}

const ports = async (...names: string[]) => {
  const chosen: Record<string, number> = {};
  for (const name of names) chosen[name] = await freePort();
  return chosen;
};
const texts = (numbers: Record<string, number>) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));

test("the image is small, runs as an unprivileged user and is labelled", async () => {
  const [image] = JSON.parse(await podman("inspect", "--type=image", images.main));
  expect(image.Size).toBeLessThan(LIMIT_BYTES);
  expect(image.Config.User).toBe("10001:10001");
  expect(image.Config.Labels["org.opencontainers.image.revision"]).toMatch(/^[0-9a-f]{40}$/);
  process.stdout.write(`The image has ${Math.round(image.Size / 1e6)} MB.\n`);
});

test("no compiler, no npm and no test is in it", async () => {
  const found = await runToEnd(
    ...([images.main, {}, "sh", "-c"] as const),
    "for p in cc gcc g++ make npm npx tsc swc; do command -v $p; done; find dist -name '*.test.js' -o -name testing; true",
  );
  expect(found).toBe("");
});

test("the built console is in it, and no package that its build contains", async () => {
  const found = await runToEnd(
    ...([images.main, {}, "sh", "-c"] as const),
    "ls dist/console/index.html dist/console/index.html.br; find node_modules -maxdepth 1 -name '*preact*'",
  );
  expect(found.trim().split("\n")).toEqual(["dist/console/index.html", "dist/console/index.html.br"]);
});

test("every package that the program may load is in it, also those that only some settings need", async () => {
  const script = `
    const { readdirSync } = require("node:fs");
    let count = 0;
    for (const name of readdirSync("dist/src", { recursive: true })) {
      // A thread's program needs what its thread is given.
      if (!name.endsWith(".js") || ["flight-log/worker.js", "features/assets/content-thread.js"].includes(name)) continue;
      require("/app/dist/src/" + name);
      count++;
    }
    process.stdout.write("loaded " + count);
    process.exit(0);`;
  const said = await runToEnd(images.main, {}, "node", "--eval", script);
  expect(Number(/loaded (\d+)/.exec(said)?.[1])).toBeGreaterThan(300);
});

test("the tunnel's programs are in it, with both backends of iptables", async () => {
  const programs = [
    "wg",
    "wireguard-go",
    "ip",
    "ipset",
    "conntrack",
    "iptables-nft",
    "iptables-legacy",
    "tini",
  ];
  for (const program of programs) {
    expect(await runToEnd(images.main, {}, "sh", "-c", `command -v ${program}`)).toContain(program);
  }
});

test("migrate brings the schema up to date, and another waits for it", async () => {
  expect(await runToEnd(images.main, env, "node", "dist/cmd/migrate.js")).toMatch(
    /Migrated the schema|The schema was up to date already/,
  );
  expect(await runToEnd(images.main, env, "node", "dist/cmd/migrate.js", "--wait")).toContain("up to date");
});

test("the operator's shell makes keys", async () => {
  expect(await runToEnd(images.main, {}, "node", "dist/cmd/admin.js", "keys")).toMatch(/^JWT_SECRET=/m);
});

test("the gateway answers", async () => {
  const chosen = await ports("GATEWAY_PORT", "GATEWAY_DRONE_PORT");
  const container = start(images.main, { ...env, ...texts(chosen) });
  await expectServesAndStops(container, chosen.GATEWAY_PORT as number);
});

test.each([
  ["relay", "RELAY_PORT"],
  ["worker", "WORKER_PORT"],
])("the %s answers", async (name, variable) => {
  const chosen = await ports(variable);
  const image = name === "worker" ? images.worker : images.main;
  const container = start(image, { ...env, ...texts(chosen) }, "node", `dist/cmd/${name}.js`);
  await expectServesAndStops(container, chosen[variable] as number);
});

test("the worker's image has ffmpeg", async () => {
  expect(await runToEnd(images.worker, {}, "ffmpeg", "-version")).toContain("ffmpeg version");
});

test("the tunnel answers in dry-run", async () => {
  const chosen = await ports("TUNNEL_PORT", "JUMPHOST_PORT", "EDGE_PORT");
  const container = start(
    images.main,
    { ...env, ...texts(chosen), TUNNEL_DATAPLANE: "dry-run" },
    ...["node", "dist/cmd/tunnel.js"],
  );
  await expectServesAndStops(container, chosen.TUNNEL_PORT as number);
});

test("wireguard-go makes both interfaces in its own container, and removes them when it ends", async () => {
  const container = startPrivileged(
    ...([
      images.main,
      { TUNNEL_DATAPLANE: "wireguard-go" },
      "node",
      "dist/cmd/tunnel.js",
      "--userspace",
    ] as const),
  );
  await until(async () => {
    const interfaces = await container.exec("wg", "show", "interfaces");
    return interfaces.trim().split(/\s+/).toSorted().join() === "drones0,users0" || false;
  }, START_MS);
  // The daemon beside it has its tables and sets in the same network.
  await container.exec("iptables-nft", "--list", "FORWARD", "--numeric");
  await container.exec("ipset", "create", "tried", "hash:ip,port,ip");
  expect(await container.stop()).toBe(0);
});

test("the simulator takes a connection, and ends on SIGTERM", async () => {
  const port = await freePort();
  const container = start(
    ...([images.main, { SIMULATOR_PORT: String(port) }, "node", "dist/cmd/simulator.js"] as const),
  );
  await until(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => resolve(void socket.destroy()));
        socket.once("error", reject);
      }),
    START_MS,
  );
  expect(await container.stop()).toBe(0);
});

test("the agent on board runs without its autopilot, and ends on SIGTERM", async () => {
  const container = start(
    images.main,
    {
      REDIS_URL: env.REDIS_URL as string,
      DRONE_IP: "10.71.0.2",
      ONBOARD_VEHICLE: `127.0.0.1:${await freePort()}`,
    },
    ...["node", "dist/cmd/onboard.js"],
  );
  await until(
    () => container.log().includes('"msg"') || Promise.reject(new Error(container.log())),
    START_MS,
  );
  expect(await container.stop()).toBe(0);
});

test("a process with a faulty configuration names the variable and exits with 1", async () => {
  await expect(runToEnd(images.main, {}, "node", "dist/cmd/gateway.js")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("DATABASE_URL"),
  });
});
