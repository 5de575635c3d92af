import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { ApiClient } from "../../src/laptop/api-client";
import { downloadConfig } from "../../src/laptop/demo/client-config";
import { atEndOfFile } from "../../src/testing";
import { until } from "../../src/testing/until";
import { TestWatcher } from "../../src/testing/watcher";
import {
  apps,
  core,
  deploy,
  exec,
  isReady,
  killPods,
  namespace,
  origin,
  podsOf,
  release,
  rollBack,
  runHelmTest,
  uninstall,
} from "./release";
import { connectVpn, type VpnClient } from "./vpn-client";

/** In the order of a release's life: each test stands on what those before it left. */

const pilot = { username: `pilot-${Date.now()}@example.com`, password: randomBytes(12).toString("hex") };
const api = new ApiClient(origin);
let token: string;
let droneId: number;
let vpn: VpnClient | undefined;
atEndOfFile(async () => vpn?.close());

const MINUTES = 60_000;

test(
  "the chart installs, and everything is ready",
  async () => {
    await deploy();
    for (const component of ["gateway", "relay", "simulator", "tunnel"]) {
      const pods = await podsOf(component);
      expect([component, pods.length > 0 && pods.every(isReady)]).toEqual([component, true]);
    }
  },
  12 * MINUTES,
);

test(
  "helm test logs in and finds every part well",
  async () => {
    expect(await runHelmTest()).toContain("services are ready");
  },
  5 * MINUTES,
);

test(
  "a mission is flown through the Ingress, and watched",
  async () => {
    await exec(
      `deployment/${release}-gateway`,
      "gateway",
      ["node", "dist/cmd/admin.js", "create-user", "--username", pilot.username, "--active"],
      `${pilot.password}\n`,
    );
    token = await api.login(pilot);
    const drone = await api.post<{ id: number }>("/drone", {
      type: "sitl",
      name: "Kind",
      vehicle_type: "copter",
    });
    droneId = drone.id;
    const mission = await api.post<{ id: number }>("/mission", { name: "Square" });
    const corners = [
      [47.3982, 8.5456],
      [47.3982, 8.5464],
    ];
    for (const [sequence, [lat, lng]] of corners.entries()) {
      await api.post("/mission/point", [
        { mission_id: mission.id, lat, lng, altitude: 20, type: "fly", sequence },
      ]);
    }
    const watcher = new TestWatcher(origin, token);
    await watcher.subscribe(droneId, "dashboard");
    const order = (name: string, more: object = {}) =>
      api.post(`/drone/action/${name}`, { drone_id: droneId, ...more });
    await order("push_mission", { mission_id: mission.id });
    await until(() => order("arm"), MINUTES);
    await order("takeoff", { altitude: 10 });
    await until(() => watcher.frames("relalt").some(({ data }) => data.data > 8), MINUTES);
    await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
    await until(() => watcher.frames("gps").some(({ data }) => data.latitude > 47.3981), 2 * MINUTES);
  },
  6 * MINUTES,
);

test(
  "stick frames reach the drone's channel through the relay, for its owner only",
  async () => {
    const open = (accessToken: string) => {
      const url = `${origin.replace("http", "ws")}/redispad/${droneId}?access_token=${accessToken}`;
      const socket = new WebSocket(url);
      atEndOfFile(async () => socket.terminate());
      return socket;
    };
    const stranger = open("none");
    expect(await new Promise((resolve) => stranger.once("close", resolve))).toBe(4401);
    const socket = open(token);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const { ip } =
      (await api.get<{ id: number; ip: string }[]>("/drones")).find(({ id }) => id === droneId) ?? {};
    const channels = await exec(`statefulset/${release}-redis`, "redis", ["redis-cli", "pubsub", "channels"]);
    expect(channels).toContain(`${ip}:output`);
    socket.close();
  },
  2 * MINUTES,
);

test(
  "a downloaded config brings a tunnel up from outside the cluster",
  async () => {
    vpn = await connectVpn(await downloadConfig(api));
    await until(async () => (await api.get<{ status: boolean }>("/user/vpn/status")).status, MINUTES);
  },
  3 * MINUTES,
);

test(
  "every service's metrics can be scraped",
  async () => {
    for (const [component, port] of [
      ["gateway", 8080],
      ["relay", 7070],
      ["tunnel", 5050],
    ] as const) {
      const [pod] = await podsOf(component);
      const script = `fetch("http://${pod?.status?.podIP}:${port}/metrics").then((r) => r.text()).then(console.log)`;
      const said = await exec(`deployment/${release}-gateway`, "gateway", ["node", "-e", script]);
      expect(said).toContain(`process="${component}"`);
    }
  },
  MINUTES,
);

test.each(["relay", "gateway", "simulator", "tunnel"])(
  "the %s is killed, comes back, and a flight can be watched again",
  async (component) => {
    await killPods(component);
    await until(async () => {
      token = await api.login(pilot);
      const watcher = new TestWatcher(origin, token);
      await watcher.subscribe(droneId, "gps");
      await until(() => watcher.frames("gps").length > 0, 20_000);
      watcher.socket.disconnect();
    }, 3 * MINUTES);
  },
  6 * MINUTES,
);

test(
  "an upgrade with a changed value does not touch the tunnel",
  async () => {
    await until(() => (vpn as VpnClient).worstGapMs() < 1_000, MINUTES);
    const [before] = await podsOf("tunnel");
    await deploy("gateway.env.LINK_IDLE_SECONDS=61");
    expect((await podsOf("tunnel"))[0]?.metadata?.uid).toBe(before?.metadata?.uid);
    expect(vpn?.worstGapMs()).toBeLessThan(2_000);
    const gateway = await apps.readNamespacedDeployment({ namespace, name: `${release}-gateway` });
    const env = gateway.spec?.template.spec?.containers[0]?.env ?? [];
    expect(env).toContainEqual(expect.objectContaining({ name: "LINK_IDLE_SECONDS", value: "61" }));
  },
  12 * MINUTES,
);

test(
  "a second gateway and a third relay come, and are ready",
  async () => {
    await deploy("gateway.replicas=2", "relay.replicas=3");
    expect((await podsOf("gateway")).filter(isReady)).toHaveLength(2);
    expect((await podsOf("relay")).filter(isReady)).toHaveLength(3);
  },
  12 * MINUTES,
);

test(
  "a rollback keeps users and their secrets",
  async () => {
    await rollBack();
    await until(() => api.login(pilot), MINUTES);
  },
  12 * MINUTES,
);

test(
  "after the release is gone its generated Secrets are kept, and the node can be cleaned",
  async () => {
    await vpn?.close();
    vpn = undefined;
    const [tunnel] = await podsOf("tunnel");
    const teardown = ["node", "dist/cmd/tunnel.js", "--teardown"];
    const removed = await exec(`pod/${tunnel?.metadata?.name}`, "tunnel", teardown);
    expect(removed).toContain("removed");
    await uninstall();
    await until(async () => (await core.listNamespacedPod({ namespace })).items.length === 0, 3 * MINUTES);
    const names = (await core.listNamespacedSecret({ namespace })).items.map(
      ({ metadata }) => metadata?.name,
    );
    expect(names).toEqual(expect.arrayContaining([`${release}-keys`, `${release}-hub-keys`]));
    await core.deleteNamespace({ name: namespace });
  },
  12 * MINUTES,
);
