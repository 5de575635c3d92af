import { request } from "node:http";
import { WebSocket } from "ws";
import { saveSubscription } from "../features/billing";
import { publishCompose } from "../features/provisioning";
import { rotateDroneKey } from "../features/vpn";
import { CapturedLog } from "../testing/captured-log";
import { until as untilWithin } from "../testing/until";
import { TEST_COMPOSE } from "../testing/worlds/gateway-with-tunnel";
import { type InterruptibleLink, interruptibleLink } from "../testing/worlds/interruptible-link";
import { startTestGateway, type TestGateway, type TestUser } from "../testing/worlds/start-gateway";
import { type TunnelWorld, tunnelWorld } from "../testing/worlds/start-tunnel";
import { ENDPOINTS_KEY, INDEX_KEY } from "./client-configs/store";
import type { Tunnel } from "./index";
import { CommandError } from "./os/os";
import { SimulatedOs } from "./os/simulated-os";
import { generateKeyPair } from "./wireguard/keys";

/** An invalid hub key is as secret as a valid one: only its end is missing. */
const SHORT_KEY = generateKeyPair().privateKey.slice(0, 38);

const os = new SimulatedOs();
/** Of both processes, at the most talkative level. */
const log = new CapturedLog();
/** Every reply that was got, and every metric. */
const replies: string[] = [];

/** Each wait takes milliseconds, on a busy machine seconds. */
jest.setTimeout(90_000);
const until = <T>(attempt: () => Promise<T> | T) => untilWithin(attempt);

let world: TunnelWorld;
let gateway: TestGateway;
let tunnel: Tunnel;
let store: InterruptibleLink;
let owner: TestUser;
let drone: { id: number; ip: string; activation_token: string };

beforeAll(async () => {
  world = await tunnelWorld();
  store = await interruptibleLink(world.objects.url);
  tunnel = await startTunnel();
  gateway = await startTestGateway(
    {
      DATABASE_URL: world.databaseUrl,
      S3_ENDPOINT: store.url,
      S3_ACCESS_KEY_ID: world.objects.accessKeyId,
      S3_SECRET_ACCESS_KEY: world.objects.secretAccessKey,
      VPN_SERVICE_URL: tunnel.url,
      REGISTRY_URL: "registry.example.com",
      LOG_LEVEL: "trace",
    },
    log,
  );
  await publishCompose(gateway.deps.store, TEST_COMPOSE);
  owner = await gateway.newUser();
  await saveSubscription(gateway.deps.db, owner.id, { status: "active", vehicle_count: 9 });
  drone = await newDrone();
});

const startTunnel = (env: Record<string, string> = {}) =>
  world.start(
    { os, dataplane: "auto" },
    { LOG_LEVEL: "trace", DB_REFRESH_SECONDS: "1", S3_ENDPOINT: store.url, ...env },
    log,
  );

async function newDrone() {
  const input = { type: "physical", name: "Survey copter", vehicle_type: "copter" };
  const { body } = await owner.api.post("/drone", input);
  await until(() => isPeer(body.ip));
  return body;
}
const isPeer = (ip: string) =>
  [...(os.links.get("drones0")?.peers.values() ?? [])].some((ips) => ips.includes(`${ip}/32`));

/** Any path of a service, with a body where one is given; the reply is kept, headers and all. */
const ask = (url: string, body?: string, headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const json =
      body === undefined ? {} : { "content-type": "application/json", "content-length": body.length };
    const asked = request(url, { method: "GET", headers: { ...json, ...headers } }, (reply) => {
      replies.push(JSON.stringify(reply.headers));
      reply.on("data", (chunk) => replies.push(`${chunk}`));
      reply.on("end", () => resolve(reply.statusCode ?? 0));
    });
    asked.on("error", reject);
    asked.end(body);
  });

/** Why the jumphost opens no pipe. */
const refusal = (headers: Record<string, string>) =>
  new Promise<void>((resolve) => {
    const socket = new WebSocket(tunnel.jumphostUrl, { headers });
    socket.on("unexpected-response", (_, reply) => {
      reply.on("data", (chunk: Buffer) => replies.push(`${chunk}`));
      reply.on("end", resolve);
    });
    socket.on("error", () => undefined);
  });

async function askEverything(): Promise<void> {
  const key = [...(os.links.get("drones0")?.peers.keys() ?? [])][0] ?? "";
  const ips = [owner.ip, drone.ip, "10.71.9.9", "banana", encodeURIComponent(key)];
  const paths = [
    ...ips.flatMap((ip) => [`/status/user/${ip}`, `/status/drone/${ip}`, `/firewall/user/${ip}`]),
    ...["/firewall", "/version", "/metrics", "/healthz", "/readyz", "/peers", "/drones_status"],
  ];
  for (const path of paths) await ask(`${tunnel.url}${path}`);
  for (const body of [JSON.stringify({ ips: [drone.ip] }), '{"ips": [', '{"ips": ["banana"]}', "[]"]) {
    await ask(`${tunnel.url}/drones_status`, body);
  }
  await refusal({ "x-drone-ip": "banana", "x-drone-port": "1" });
  await refusal({ "x-drone-ip": "10.0.0.1", "x-drone-port": "5001" });
  const api = `${gateway.url}/api/v1`;
  const token = { authorization: `Bearer ${owner.token}` };
  const ours = ["/user/vpn", "/user/vpn/status", "/drones_status", `/drone/${drone.id}`, "/drones", "/user"];
  for (const path of [...ours, `/drone/${drone.id}/vpn`, `/drone/${drone.id}/vpn/status`, "/drone/999/vpn"]) {
    await ask(`${api}${path}`, undefined, token);
  }
  await ask(`${api}/drone/activate`, undefined, { "x-activation-token": "0000000000" });
  await ask(`${api}/drone/pull`, undefined, { "x-drone-ip": drone.ip });
  await ask(`${gateway.url}/metrics`);
}

/** Every key that the hub, a client or a tombstone has. */
async function privateKeys(): Promise<Set<string>> {
  const objects = [...(await world.configs.configs()), ...(await world.configs.tombstones())];
  const keys = new Set<string>();
  for (const { key } of objects) {
    const [, found] = /^PrivateKey = (\S+)$/m.exec((await world.configs.get(key)) ?? "") ?? [];
    if (found) keys.add(found);
  }
  for (const name of ["USERS_PRIVATE_KEY", "DRONES_PRIVATE_KEY"]) keys.add(world.env[name] as string);
  return keys.add(SHORT_KEY);
}

test("no private key is in a log, a metric, a reply, a command or an object that needs none", async () => {
  const keys = new Set<string>();
  const collect = async () => {
    for (const key of await privateKeys()) keys.add(key);
  };
  await askEverything();
  await collect();

  // Keys that come and go, and rest.
  await rotateDroneKey(gateway.deps.db, drone.id);
  const deleted = await newDrone();
  await collect();
  await owner.api.delete(`/drone/${deleted.id}`);
  await until(async () => (await world.configs.tombstones()).length >= 2);
  await until(() => isPeer(drone.ip));
  expect(
    await ask(`${gateway.url}/api/v1/drone/activate`, undefined, {
      "x-activation-token": drone.activation_token,
    }),
  ).toBe(200);

  // `wg` quotes what it was given.
  os.fault = (command) => {
    if (/^wg set/.test(command))
      throw new CommandError(command.split(" "), 1, `Key is not correct: ${command}`);
  };
  const late = await owner.api.post("/drone", { type: "physical", name: "Late", vehicle_type: "rover" });
  await until(() => log.text.includes("Key is not correct"));
  await askEverything();
  os.fault = () => {};
  await until(() => isPeer(late.body.ip));
  await collect();

  // A neighbour that is away, in the middle of everything.
  store.cut();
  await owner.api.post("/drone", { type: "physical", name: "Later", vehicle_type: "rover" });
  await until(() => log.entries("Cannot publish client configs; retrying").length > 0);
  await askEverything();
  store.mend();

  // A config that is cut off within its key, a daemon that starts with it, and an invalid hub key.
  await tunnel.lifecycle.stop("another one follows");
  const object = `vpn/drones/${drone.id}.conf`;
  const whole = (await world.configs.get(object)) as string;
  await world.configs.put(object, whole.slice(0, whole.indexOf("PrivateKey") + 50));
  await world.configs.delete(INDEX_KEY);
  tunnel = await startTunnel({ USERS_PRIVATE_KEY: SHORT_KEY });
  await until(() => log.entries("A client config was damaged").length > 0);
  await until(() => log.text.includes("USERS_PRIVATE_KEY is not a WireGuard key"));
  await askEverything();
  await collect();
  await tunnel.lifecycle.stop("all has happened");

  const open = {
    log: log.text,
    replies: replies.join("\n"),
    commands: os.commands.join("\n"),
    index: (await world.configs.get(INDEX_KEY)) ?? "",
    endpoints: (await world.configs.get(ENDPOINTS_KEY)) ?? "",
  };
  // It is all there to be looked through.
  expect(keys.size).toBeGreaterThanOrEqual(8);
  expect(open.log).toContain("Removed a peer");
  expect(open.log).toContain('"process":"gateway"');
  expect(open.replies).toContain("fleet_tunnel_peers");
  expect(open.replies).toContain("X-Amz-Expires");
  expect(open.commands).toContain("private-key /dev/stdin");
  expect(open.index).toContain("drones/");
  for (const [where, text] of Object.entries(open)) {
    for (const key of keys) {
      const raw = Buffer.from(key, "base64");
      // Also as other programs would print it, and the beginning of what was cut off.
      const forms = [key, raw.toString("hex"), raw.toString("base64url"), key.slice(0, 30)];
      expect({ where, shows: forms.filter((form) => text.includes(form)) }).toEqual({ where, shows: [] });
    }
  }
});
