import { execFile } from "node:child_process";
import { join } from "node:path";
import { parse } from "yaml";
import { compiledPrograms } from "../testing/programs/programs";
import { until } from "../testing/until";
import { type GatewayWithTunnel, gatewayWithTunnel } from "../testing/worlds/gateway-with-tunnel";
import type { TestUser } from "../testing/worlds/start-gateway";

let world: GatewayWithTunnel;
let programs: string;
let user: TestUser;
beforeAll(async () => {
  programs = compiledPrograms();
  world = await gatewayWithTunnel();
});
beforeEach(async () => {
  user = await world.gateway.newUser();
});

interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const admin = (...args: string[]): Promise<CommandResult> => adminWith({}, ...args);

/** The real entrypoint in a process of its own. */
function adminWith(further: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: world.gateway.databaseUrl,
    S3_ENDPOINT: world.objectsUrl,
    S3_ACCESS_KEY_ID: world.gateway.deps.config.S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: world.gateway.deps.config.S3_SECRET_ACCESS_KEY,
    ...further,
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(programs, "cmd/admin.js"), ...args],
      { env },
      (_, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}

const keyOf = async (path: string) => {
  const config = await (await fetch((await user.api.get(path)).body.url)).text();
  return config.endsWith("PersistentKeepalive = 25\n") && /PrivateKey = (\S+)/.exec(config)?.[1];
};

test("rotate-key gives a user another key, which the tunnel publishes, and says what happens next", async () => {
  const before = await until(() => keyOf("/user/vpn"));
  const { code, out, err } = await admin("rotate-key", "--user", user.username.toUpperCase());
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`user ${user.id} ${user.ip} has another VPN key now.`);
  expect(out).toContain("GET /api/v1/user/vpn");
  await until(async () => {
    const now = await keyOf("/user/vpn");
    return now && now !== before;
  });
});

test("rotate-key and reissue-activation bring a drone's computer back by itself", async () => {
  const drone = await world.newDrone(user);
  const activate = (token: string) =>
    world.gateway.api.with({ "x-activation-token": token }).get("/drone/activate");
  expect((await activate(drone.activation_token)).status).toBe(200);
  const before = await until(() => keyOf(`/drone/${drone.id}/vpn`));
  const rotated = await admin("rotate-key", "--drone", String(drone.id));
  expect(rotated.out).toContain(`admin reissue-activation --drone ${drone.id}`);
  const reissued = await admin("reissue-activation", "--drone", String(drone.id));
  const [, token = ""] = /activation token (\d{10})\n/.exec(reissued.out) ?? [];
  const { status, body } = await activate(token);
  expect(status).toBe(200);
  expect(await (await fetch(body.vpn)).text()).not.toContain(before);
});

test("both refuse a drone without a tunnel, and unknown arguments", async () => {
  const sitl = await user.api.post("/drone", { type: "sitl", name: "S", vehicle_type: "copter" });
  const refused = await Promise.all([
    admin("rotate-key", "--drone", String(sitl.body.id)),
    admin("rotate-key", "--user", "nobody@example.com"),
    admin("rotate-key", "--user", user.username, "--drone", "1"),
    admin("rotate-key", "--drone", "0x1"),
    admin("rotate-key"),
    admin("reissue-activation", "--drone", String(sitl.body.id)),
    admin("reissue-activation"),
  ]);
  expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 1));
  expect(refused[0]?.err).toContain("No physical drone");
  expect(refused[1]?.err).toContain("nobody@example.com");
  for (const { err } of refused.slice(2, 5)) expect(err).toContain("usage: admin rotate-key");
});

test("publish-compose puts each vehicle type's file where activation links to it", async () => {
  const { store } = world.gateway.deps;
  await store.deletePrefix("compose/");
  const { code, out } = await admin("publish-compose");
  expect({ code, out }).toEqual({
    code: 0,
    out: "published compose/copter.yaml\npublished compose/rover.yaml\n",
  });
  const { services } = parse(String(await store.readSmall("compose/rover.yaml")), { merge: true });
  expect(Object.keys(services)).toEqual(["mavlink-router", "onboard"]);
});

test("publish-compose names the bucket that is not there", async () => {
  const { code, err } = await adminWith({ S3_BUCKET: "not-made" }, "publish-compose");
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('The bucket "not-made" takes no') });
});
