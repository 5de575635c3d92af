import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { ApiClient } from "../../src/laptop/api-client";
import { downloadConfig } from "../../src/laptop/demo/client-config";
import { atEndOfFile } from "../../src/testing";
import { TestSticks } from "../../src/testing/sticks";
import { VpnClient } from "../../src/testing/system/namespaces";
import { requestIn } from "../../src/testing/system/namespaces/links";
import { until } from "../../src/testing/until";
import { TestWatcher } from "../../src/testing/watcher";
import { ProbePod } from "./probe-pod";
import {
  admin,
  apps,
  core,
  deleteNamespace,
  deploy,
  isReady,
  killPods,
  leftOnNode,
  namespace,
  origin,
  podsOf,
  privilegedPods,
  publish,
  release,
  rollBack,
  runHelmTest,
  subscribed,
  uninstall,
  withoutPolicies,
} from "./release";

/** In the order of a release's life: each test stands on what those before it left. */

const pilot = { username: `pilot-${Date.now()}@example.com`, password: randomBytes(12).toString("hex") };
const api = new ApiClient(origin);
const MINUTES = 60_000;

let token: string;
let simulated: { readonly id: number; readonly ip: string };
/** Follows the simulated drone's flight from one test to the next. */
let watcher: TestWatcher;
/** The pilot's computer and a physical drone's, outside the cluster. */
let pilotVpn: VpnClient;
let droneVpn: VpnClient;
/** In a namespace of which the release knows nothing. */
let stranger: ProbePod;
const ECHO = { protocol: "tcp", port: 5001 } as const;

/** Milliseconds of the slowest echo of a pilot's stream, once it has caught up; printed. */
async function slowestEcho(name: string): Promise<number> {
  await until(async () => {
    const { sent, echoed } = await pilotVpn.node.report(name);
    return echoed > sent - 10;
  }, MINUTES);
  const { worstMs, echoed } = await pilotVpn.node.report(name);
  process.stdout.write(`${name}: ${echoed} echoes, the slowest after ${Math.round(worstMs)} ms.\n`);
  return worstMs;
}

async function variable(component: string, name: string): Promise<string | undefined> {
  const { spec } = await apps.readNamespacedDeployment({ namespace, name: `${release}-${component}` });
  return spec?.template.spec?.containers[0]?.env?.find((one) => one.name === name)?.value;
}

type Transport = "websocket" | "polling";

/** As a browser would: its requests carry the cookie by which the Ingress finds the same gateway again. */
async function watch(transport: Transport = "websocket"): Promise<TestWatcher> {
  const one = new TestWatcher(origin, token, {
    transports: [transport],
    upgrade: false,
    withCredentials: true,
  });
  await one.subscribe(simulated.id, "dashboard");
  const [refusal] = one.all("error");
  if (refusal) throw new Error(refusal.message);
  await until(() => one.frames("gps").length > 0, 20_000);
  return one;
}

/** North and high: neither on its way home nor landing. */
async function fliesOn(one: TestWatcher): Promise<void> {
  const latitude = () => one.frames("gps").at(-1)?.data.latitude;
  one.clear();
  await until(() => one.frames("gps").length > 0);
  const from = latitude();
  await until(() => latitude() > from + 0.00001);
  await until(() => one.frames("relalt").length > 0);
  expect(one.frames("relalt").at(-1)?.data.data).toBeGreaterThan(8);
}

test(
  "the chart installs, and everything is ready",
  async () => {
    stranger = await ProbePod.create("fleet-test-elsewhere", "stranger");
    await deploy();
    for (const part of ["gateway", "relay", "worker", "simulator", "tunnel", "postgres", "redis", "minio"]) {
      const pods = await podsOf(part);
      expect([part, pods.length > 0 && pods.every(isReady)]).toEqual([part, true]);
    }
  },
  12 * MINUTES,
);

test("no pod but the tunnel's asks for more than the restricted pod security allows", async () => {
  expect(await privilegedPods()).toEqual([expect.stringContaining(`${release}-tunnel`)]);
});

test(
  "helm test logs in and finds every part well",
  async () => {
    expect(await runHelmTest()).toMatch(/TEST SUITE: +fleet-test.*Phase: +Succeeded/s);
  },
  5 * MINUTES,
);

test(
  "a mission is flown through the Ingress, and watched",
  async () => {
    await admin(["create-user", "--username", pilot.username, "--active"], `${pilot.password}\n`);
    token = await api.login(pilot);
    simulated = await api.post("/drone", { type: "sitl", name: "Kind", vehicle_type: "copter" });
    const mission = await api.post<{ id: number }>("/mission", { name: "North" });
    // Straight north, for longer than this file takes.
    const corners = [
      [47.3982, 8.5456],
      [47.6, 8.5456],
    ];
    for (const [sequence, [lat, lng]] of corners.entries()) {
      await api.post("/mission/point", [
        { mission_id: mission.id, lat, lng, altitude: 20, type: "fly", sequence },
      ]);
    }
    watcher = await watch();
    const order = (name: string, more: object = {}) =>
      api.post(`/drone/action/${name}`, { drone_id: simulated.id, ...more });
    await order("push_mission", { mission_id: mission.id });
    await until(() => order("arm"), MINUTES);
    await order("takeoff", { altitude: 10 });
    await until(() => watcher.frames("relalt").some(({ data }) => data.data > 8), MINUTES);
    await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
    await until(() => watcher.frames("gps").some(({ data }) => data.latitude > 47.3983), 2 * MINUTES);
  },
  6 * MINUTES,
);

test(
  "stick frames reach the drone's channel through the relay, and its answers reach the pilot, its owner only",
  async () => {
    const open = (accessToken: string) => {
      const url = `${origin.replace("http", "ws")}/redispad/${simulated.id}?access_token=${accessToken}`;
      const socket = new WebSocket(url);
      atEndOfFile(async () => socket.terminate());
      return socket;
    };
    const stranger = open("none");
    expect(await new Promise((resolve) => stranger.once("close", resolve))).toBe(4401);

    const heard = await subscribed(`${simulated.ip}:gamepad_input`);
    const socket = open(token);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const frame = new TestSticks(() => {}).frame();
    // The first may come before the relay has looked up the drone.
    await until(() => {
      socket.send(frame);
      return heard.messages.length > 0;
    });
    expect(heard.messages[0]).toBe(frame);

    const answer = new Promise((resolve) => socket.once("message", (text) => resolve(String(text))));
    await publish(`${simulated.ip}:output`, "armed");
    expect(await answer).toContain("armed");
    socket.close();
  },
  2 * MINUTES,
);

test(
  "a downloaded config brings the pilot's tunnel up from outside the cluster",
  async () => {
    const config = await downloadConfig(api);
    pilotVpn = await VpnClient.onThisMachine("pilot");
    await pilotVpn.join(config);
    await until(async () => (await api.get<{ status: boolean }>("/user/vpn/status")).status, MINUTES);
  },
  3 * MINUTES,
);

test(
  "a drone is activated through the Ingress, its tunnel comes up, and the gateway identifies it by its address",
  async () => {
    await admin(["grant-subscription", "--username", pilot.username, "--vehicles", "1"]);
    const drone = await api.post<{ id: number; ip: string; activation_token: string }>("/drone", {
      type: "physical",
      name: "Far",
      vehicle_type: "copter",
    });
    const activated = await new ApiClient(origin, { "X-Activation-Token": drone.activation_token }).get<{
      vpn: string;
      compose: string;
    }>("/drone/activate");
    expect(await (await fetch(activated.compose)).text()).toContain("services:");
    droneVpn = await VpnClient.onThisMachine("drone");
    await droneVpn.join(await (await fetch(activated.vpn)).text());
    expect(droneVpn.ip).toBe(drone.ip);
    // By the edge, the drone-only Service and its NetworkPolicy.
    await until(async () => {
      const asked = await requestIn(
        droneVpn.node,
        "POST",
        "http://10.71.0.1:8088/api/v1/executions/start",
        {},
        {},
      );
      expect(asked).toMatchObject({ status: 200, body: { drone_id: drone.id } });
    }, MINUTES);
  },
  4 * MINUTES,
);

test(
  "the pilot reaches the drone through the hub, and the drone does not reach the pilot",
  async () => {
    await droneVpn.node.echo(ECHO);
    await pilotVpn.node.echo(ECHO);
    await until(() => pilotVpn.node.probe({ ...ECHO, host: droneVpn.ip }), MINUTES);
    expect(await droneVpn.node.probe({ ...ECHO, host: pilotVpn.ip })).toBe(false);
  },
  3 * MINUTES,
);

test(
  "a Prometheus elsewhere in the cluster finds every process by its annotations, and scrapes it",
  async () => {
    const pods = (await core.listNamespacedPod({ namespace })).items.filter(
      ({ metadata }) => metadata?.annotations?.["prometheus.io/scrape"] === "true",
    );
    const component = (pod: (typeof pods)[number]) => pod.metadata?.labels?.["app.kubernetes.io/component"];
    expect([...new Set(pods.map(component))].toSorted()).toEqual(["gateway", "relay", "tunnel", "worker"]);
    for (const pod of pods) {
      const { "prometheus.io/port": port, "prometheus.io/path": path } = pod.metadata?.annotations ?? {};
      const metrics = await stranger.get(`http://${pod.status?.podIP}:${port}${path}`);
      expect(metrics).toEqual({ status: 200, text: expect.stringContaining(`process="${component(pod)}"`) });
    }
  },
  MINUTES,
);

test(
  "other pods do not reach a server, the drone-only port or a vehicle, and the release's pods only their own",
  async () => {
    const beside = await ProbePod.create(namespace, "beside");
    const gatewayIp = (await podsOf("gateway"))[0]?.status?.podIP;
    const guarded = [
      `${release}-postgres.${namespace}:5432`,
      `${release}-redis.${namespace}:6379`,
      `${release}-minio.${namespace}:9000`,
      `${release}-gateway-drone.${namespace}:8081`,
      `${gatewayIp}:8082`,
      `${release}-simulator.${namespace}:5760`,
    ];
    const all = (opens: boolean) => Object.fromEntries(guarded.map((target) => [target, opens]));
    const gateway = new ProbePod(namespace, `deployment/${release}-gateway`, "gateway");
    const relay = new ProbePod(namespace, `deployment/${release}-relay`, "relay");

    // Each is there, and whoever may scrape the metrics reaches their port.
    const own = guarded.filter((target) => !target.includes(":8081"));
    expect(await gateway.opens(own)).toEqual(Object.fromEntries(own.map((target) => [target, true])));
    const metrics = `${release}-gateway.${namespace}:8080`;
    expect(await stranger.opens([metrics])).toEqual({ [metrics]: true });

    const expectGuarded = async () => {
      expect(await stranger.opens(guarded)).toEqual(all(false));
      expect(await beside.opens(guarded)).toEqual(all(false));
      expect(await relay.opens(guarded)).toEqual({
        ...all(false),
        [`${release}-postgres.${namespace}:5432`]: true,
        [`${release}-redis.${namespace}:6379`]: true,
      });
    };
    await expectGuarded();
    // It is the policies that keep them out: without these each of the connections opens.
    await withoutPolicies(() =>
      until(async () => {
        for (const pod of [stranger, beside, relay]) expect(await pod.opens(guarded)).toEqual(all(true));
      }, MINUTES),
    );
    await until(expectGuarded, MINUTES);
    // On the node's network no policy holds: a secret does.
    const firewall = await stranger.get(`http://${release}-tunnel.${namespace}:5050/firewall`);
    expect(firewall.status).toBe(401);
    await beside.delete();
  },
  5 * MINUTES,
);

/** Of what the flight's telemetry does not pass through; Redis carries it between gateways. */
test.each(["relay", "worker", "tunnel", "minio", "postgres"])(
  "the %s is killed and comes back, and the flight goes on, which who watches it sees all the while",
  async (part) => {
    watcher.clear();
    let worstGapMs = 0;
    let last = performance.now();
    const count = setInterval(() => {
      if (watcher.frames().length > 0) last = performance.now();
      worstGapMs = Math.max(worstGapMs, performance.now() - last);
      watcher.clear();
    }, 50);
    try {
      await killPods(part);
    } finally {
      clearInterval(count);
    }
    expect(watcher.socket.connected).toBe(true);
    expect(worstGapMs).toBeLessThan(3_000);
    await fliesOn(watcher);
    await until(() => api.login(pilot), MINUTES);
  },
  6 * MINUTES,
);

async function watchAgain(): Promise<void> {
  await until(async () => {
    token = await api.login(pilot);
    watcher.socket.disconnect();
    watcher = await watch();
  }, 3 * MINUTES);
}

test.each(["redis", "gateway"])(
  "the %s is killed, comes back, and the flight, which went on, is watched again",
  async (part) => {
    await killPods(part);
    await watchAgain();
    await fliesOn(watcher);
  },
  6 * MINUTES,
);

test(
  "after all that the pilot and the drone have their tunnels again, with the same keys",
  async () => {
    await until(() => pilotVpn.node.probe({ ...ECHO, host: droneVpn.ip }), 3 * MINUTES);
  },
  4 * MINUTES,
);

test(
  "an upgrade with a changed value does not touch a stream through the tunnel",
  async () => {
    const [before] = await podsOf("tunnel");
    await pilotVpn.node.stream("upgrade", { ...ECHO, host: droneVpn.ip });
    await deploy({ "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6100 });
    expect((await podsOf("tunnel"))[0]?.metadata?.uid).toBe(before?.metadata?.uid);
    expect(await slowestEcho("upgrade")).toBeLessThan(2_000);
    expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6100");
  },
  12 * MINUTES,
);

test(
  "an upgrade that replaces the tunnel's pod delays a stream through it, and loses none of its bytes",
  async () => {
    const [before] = await podsOf("tunnel");
    await pilotVpn.node.stream("replacement", { ...ECHO, host: droneVpn.ip });
    await deploy({ "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6100, "tunnel.env.DB_REFRESH_SECONDS": 5 });
    const [after] = await podsOf("tunnel");
    expect(after?.metadata?.uid).not.toBe(before?.metadata?.uid);
    expect(await slowestEcho("replacement")).toBeLessThan(MINUTES);
  },
  12 * MINUTES,
);

test(
  "with a second gateway and a third relay telemetry arrives from each gateway, by websocket and polling, also when one is killed",
  async () => {
    await deploy({ "gateway.replicas": 2, "relay.replicas": 3, "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6200 });
    const gateways = (await podsOf("gateway")).filter(isReady);
    expect(gateways).toHaveLength(2);
    expect((await podsOf("relay")).filter(isReady)).toHaveLength(3);
    token = await api.login(pilot);
    for (const transport of ["websocket", "polling", "websocket", "polling", "polling", "polling"] as const) {
      (await watch(transport)).socket.disconnect();
    }
    const [first] = gateways;
    await core.deleteNamespacedPod({ namespace, name: first?.metadata?.name ?? "", gracePeriodSeconds: 0 });
    for (const transport of ["websocket", "polling"] as const) {
      await until(async () => (await watch(transport)).socket.disconnect(), MINUTES);
    }
    await until(async () => (await podsOf("gateway")).filter(isReady).length === 2, 3 * MINUTES);
  },
  12 * MINUTES,
);

test(
  "a rollback puts every value back, and keeps users, their secrets and the flight",
  async () => {
    expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6200");
    await rollBack();
    expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6100");
    await until(async () => {
      expect([await podsOf("gateway"), await podsOf("relay")].map(({ length }) => length)).toEqual([1, 2]);
    }, 2 * MINUTES);
    await watchAgain();
    await fliesOn(watcher);
    expect(await pilotVpn.node.probe({ ...ECHO, host: droneVpn.ip })).toBe(true);
  },
  12 * MINUTES,
);

test(
  "the simulator is killed, comes back, and its vehicle can be watched again, on the ground",
  async () => {
    await killPods("simulator");
    await watchAgain();
    await until(() => watcher.frames("relalt").some(({ data }) => data.data < 1), MINUTES);
  },
  6 * MINUTES,
);

test(
  "an upgrade that disables the tunnel removes it from its node, and one that enables it restores the same tunnels",
  async () => {
    expect(await leftOnNode()).not.toEqual([]);
    await deploy({ "tunnel.enabled": false });
    expect(await podsOf("tunnel")).toEqual([]);
    expect(await leftOnNode()).toEqual([]);
    await deploy();
    await until(() => pilotVpn.node.probe({ ...ECHO, host: droneVpn.ip }), 3 * MINUTES);
  },
  20 * MINUTES,
);

test(
  "after the release is gone its generated Secrets are kept, and nothing of it is on the node",
  async () => {
    await Promise.all([pilotVpn.node.destroy(), droneVpn.node.destroy()]);
    expect(await leftOnNode()).not.toEqual([]);
    await uninstall();
    await until(async () => (await core.listNamespacedPod({ namespace })).items.length === 0, 3 * MINUTES);
    expect(await leftOnNode()).toEqual([]);
    const names = (await core.listNamespacedSecret({ namespace })).items.map(
      ({ metadata }) => metadata?.name,
    );
    expect(names).toEqual(expect.arrayContaining([`${release}-keys`, `${release}-hub-keys`]));
    await deleteNamespace(namespace);
  },
  12 * MINUTES,
);
