import { saveSubscription } from "../../features/billing";
import { publishCompose } from "../../features/provisioning";
import { rotateDroneKey } from "../../features/vpn";
import { asRoot, Namespace, VpnClient } from "../../testing/system/namespaces";
import { HUB_ADDRESS } from "../../testing/system/namespaces/hub-testbed";
import { until } from "../../testing/until";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { tunnelWorld } from "../../testing/worlds/start-tunnel";

const tcp = (port: number) => ({ protocol: "tcp" as const, port });

let gateway: TestGateway;
let owner: TestUser;
let laptop: VpnClient;
let computer: VpnClient;

/** A hub, an operator's laptop and a drone's computer; the gateway asks the hub's status API. */
beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  const [world, hub] = await Promise.all([tunnelWorld(), Namespace.create("hub")]);
  await hub.shell(`ip address add ${HUB_ADDRESS}/32 dev lo`);
  laptop = await VpnClient.create("laptop", hub, HUB_ADDRESS, 1);
  computer = await VpnClient.create("computer", hub, HUB_ADDRESS, 2);
  const { url } = await world.start({ os: hub.os, dataplane: "auto" });
  const { S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = world.env;
  gateway = await startTestGateway({
    DATABASE_URL: world.databaseUrl,
    S3_ENDPOINT,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    VPN_SERVICE_URL: url,
    REGISTRY_URL: "registry.example.com",
  });
  await publishCompose(gateway.deps.store, { EDGE_PORT: 8088 });
  owner = await gateway.newUser();
  await saveSubscription(gateway.deps.db, owner.id, { status: "active", vehicle_count: 1 });
}, 90_000);

const text = async (url: string) => (await fetch(url)).text();
const activate = (token: string) => gateway.api.with({ "x-activation-token": token }).get("/drone/activate");

asRoot(
  "the owner's laptop reaches an activated drone through the tunnel, and its status is up; a rotated key cuts it off",
  async () => {
    const { body: drone } = await owner.api.post("/drone", {
      type: "physical",
      name: "Survey copter",
      vehicle_type: "copter",
    });
    const isUp = async () => (await owner.api.get(`/drone/${drone.id}/vpn/status`)).body.status as boolean;
    expect(await isUp()).toBe(false);
    // Asked at once: the call itself waits for the tunnel.
    const activated = await activate(drone.activation_token);
    expect(activated.status).toBe(200);
    await computer.join(await text(activated.body.vpn));
    expect(computer.ip).toBe(drone.ip);
    await computer.node.echo(tcp(5001), tcp(80));
    const config = await until(async () => {
      const config = await text((await owner.api.get("/user/vpn")).body.url);
      return config.endsWith("PersistentKeepalive = 25\n") && config;
    });
    await laptop.join(config);
    expect(laptop.ip).toBe(owner.ip);
    await until(() => laptop.node.probe({ host: drone.ip, ...tcp(5001) }));
    expect(await laptop.node.probe({ host: drone.ip, ...tcp(80) }, 1_500)).toBe(false);
    await until(isUp);
    await until(async () => (await owner.api.get("/user/vpn/status")).body.status as boolean);
    expect((await owner.api.get("/drones_status")).body).toEqual({ [drone.id]: { is_active: true } });

    await rotateDroneKey(gateway.deps.db, drone.id);
    await until(async () => !(await laptop.node.probe({ host: drone.ip, ...tcp(5001) }, 500)));
    await until(async () => !(await isUp()));
    const link = () => owner.api.get(`/drone/${drone.id}/vpn`);
    await until(async () => {
      const renewed = await text((await link()).body.url);
      if (!renewed.endsWith("PersistentKeepalive = 25\n")) return false;
      await computer.join(renewed);
      return laptop.node.probe({ host: drone.ip, ...tcp(5001) }, 2_000);
    });
  },
  90_000,
);
