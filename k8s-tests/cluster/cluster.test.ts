import { WebSocket } from "ws";
import { FleetClient, reply } from "../../src/client/client";
import { atEndOfFile } from "../../src/testing";
import { TestSticks } from "../../src/testing/sticks";
import { VpnClient } from "../../src/testing/system/namespaces";
import { requestIn } from "../../src/testing/system/namespaces/links";
import { until } from "../../src/testing/until";
import { downloadConfig } from "./client-config";
import { client, flight, MINUTES, pilot, TCP_5001 } from "./flight";
import { testIngressReplacement } from "./ingress-replacement";
import { leftOnNode } from "./node-pod";
import { ProbePod } from "./probe-pod";
import {
  admin,
  core,
  deleteNamespace,
  deploy,
  expectHelmTestSucceeds,
  isReady,
  killPods,
  namespace,
  origin,
  podsOf,
  privilegedPods,
  publish,
  release,
  subscribed,
  uninstall,
  withoutPolicies,
} from "./release";
import { testUpgrades } from "./upgrades";

/** In the order of a release's life: each test needs the state that the earlier tests left. */

/** A pod in another namespace. */
let otherPod: ProbePod;

test(
  "the chart installs, and everything is ready",
  async () => {
    otherPod = await ProbePod.create("fleet-test-elsewhere", "other-pod");
    await deploy();
    for (const part of ["gateway", "relay", "worker", "simulator", "tunnel", "postgres", "redis", "minio"]) {
      const pods = await podsOf(part);
      expect([part, pods.length > 0 && pods.every(isReady)]).toEqual([part, true]);
    }
  },
  12 * MINUTES,
);

test("no pod but those of the tunnel, its daemon and wireguard-go, asks for more than the restricted pod security allows", async () => {
  // Pods that ask for the same are named together.
  expect(await privilegedPods()).toEqual([
    expect.stringMatching(new RegExp(` ${release}-(tunnel|wireguard-go)-\\w+ \\(and 1 other pod\\): `)),
  ]);
});

test("helm test finds every part healthy", expectHelmTestSucceeds, 5 * MINUTES);

test(
  "a mission is flown through the Ingress, and watched",
  async () => {
    await admin(["create-user", "--username", pilot.username, "--active"], `${pilot.password}\n`);
    flight.token = (await client.logIn(pilot.username, pilot.password)).access_token;
    const { api } = client;
    const copter = { type: "sitl", name: "Kind", vehicle_type: "copter" } as const;
    flight.drone = await reply(api.POST("/drone", { body: copter }));
    const mission = await reply(api.POST("/mission", { body: { name: "North" } }));
    // Straight north, for longer than this file takes.
    for (const [sequence, lat] of [47.3982, 47.6].entries()) {
      const point = {
        mission_id: mission.id,
        lat,
        lng: 8.5456,
        altitude: 20,
        type: "fly",
        sequence,
      } as const;
      await reply(api.POST("/mission/point", { body: [point] }));
    }
    flight.watcher = await flight.watch();
    const order = (name: string, more: object = {}) =>
      reply(
        api.POST(`/drone/action/${name}` as "/drone/action/rtl", {
          body: { drone_id: flight.drone.id, ...more },
        }),
      );
    await order("push_mission", { mission_id: mission.id });
    await until(() => order("arm"), MINUTES);
    await order("takeoff", { altitude: 10 });
    await until(() => flight.watcher.frames("relalt").some(({ data }) => data.data > 8), MINUTES);
    await order("set_mode", { mode_info: { custom_mode: "AUTO" } });
    await until(() => flight.watcher.frames("gps").some(({ data }) => data.latitude > 47.3983), 2 * MINUTES);
  },
  6 * MINUTES,
);

test(
  "stick frames reach the drone's channel through the relay, and its answers reach the pilot, its owner only",
  async () => {
    const open = (accessToken: string) => {
      const url = `${origin.replace("http", "ws")}/redispad/${flight.drone.id}?access_token=${accessToken}`;
      const socket = new WebSocket(url);
      atEndOfFile(async () => socket.terminate());
      return socket;
    };
    const anonymous = open("none");
    expect(await new Promise((resolve) => anonymous.once("close", resolve))).toBe(4401);

    const received = await subscribed(`${flight.drone.ip}:gamepad_input`);
    const socket = open(flight.token);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const frame = new TestSticks(() => {}).frame();
    // The first may come before the relay has looked up the drone.
    await until(() => {
      socket.send(frame);
      return received.messages.length > 0;
    });
    expect(received.messages[0]).toBe(frame);

    const answer = new Promise((resolve) => socket.once("message", (text) => resolve(String(text))));
    await publish(`${flight.drone.ip}:output`, "armed");
    expect(await answer).toContain("armed");
    socket.close();
  },
  2 * MINUTES,
);

test(
  "a downloaded config brings the pilot's tunnel up from outside the cluster",
  async () => {
    const config = await downloadConfig(client);
    flight.pilotVpn = await VpnClient.onThisMachine("pilot");
    await flight.pilotVpn.join(config);
    await until(async () => (await reply(client.api.GET("/user/vpn/status"))).status, MINUTES);
  },
  3 * MINUTES,
);

test(
  "a drone is activated through the Ingress, its tunnel comes up, and the gateway identifies it by its address",
  async () => {
    await admin(["grant-subscription", "--username", pilot.username, "--vehicles", "1"]);
    const copter = { type: "physical", name: "Far", vehicle_type: "copter" } as const;
    const drone = await reply(client.api.POST("/drone", { body: copter }));
    const headers = { "X-Activation-Token": String(drone.activation_token) };
    const activated = await reply(new FleetClient(origin, { headers }).api.GET("/drone/activate"));
    expect(await (await fetch(activated.compose)).text()).toContain("services:");
    flight.droneVpn = await VpnClient.onThisMachine("drone");
    await flight.droneVpn.join(await (await fetch(activated.vpn)).text());
    expect(flight.droneVpn.ip).toBe(drone.ip);
    // By the edge, the drone-only Service and its NetworkPolicy.
    await until(async () => {
      const asked = await requestIn(
        flight.droneVpn.node,
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
    await flight.droneVpn.node.echo(TCP_5001);
    await flight.pilotVpn.node.echo(TCP_5001);
    await until(() => flight.pilotVpn.node.probe({ ...TCP_5001, host: flight.droneVpn.ip }), MINUTES);
    expect(await flight.droneVpn.node.probe({ ...TCP_5001, host: flight.pilotVpn.ip })).toBe(false);
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
      const metrics = await otherPod.get(`http://${pod.status?.podIP}:${port}${path}`);
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

    // Every target listens, and a pod that may scrape the metrics reaches their port.
    const own = guarded.filter((target) => !target.includes(":8081"));
    expect(await gateway.opens(own)).toEqual(Object.fromEntries(own.map((target) => [target, true])));
    const metrics = `${release}-gateway.${namespace}:8080`;
    expect(await otherPod.opens([metrics])).toEqual({ [metrics]: true });

    const expectGuarded = async () => {
      expect(await otherPod.opens(guarded)).toEqual(all(false));
      expect(await beside.opens(guarded)).toEqual(all(false));
      expect(await relay.opens(guarded)).toEqual({
        ...all(false),
        [`${release}-postgres.${namespace}:5432`]: true,
        [`${release}-redis.${namespace}:6379`]: true,
      });
    };
    await expectGuarded();
    // Without the policies every connection opens.
    await withoutPolicies(() =>
      until(async () => {
        for (const pod of [otherPod, beside, relay]) expect(await pod.opens(guarded)).toEqual(all(true));
      }, MINUTES),
    );
    await until(expectGuarded, MINUTES);
    // No policy holds on the node's network: a secret protects the port.
    const firewall = await otherPod.get(`http://${release}-tunnel.${namespace}:5050/firewall`);
    expect(firewall.status).toBe(401);
    await beside.delete();
  },
  5 * MINUTES,
);

/** Parts that the flight's telemetry does not pass through; Redis carries it between gateways. */
test.each(["relay", "worker", "tunnel", "minio", "postgres"])(
  "the %s is killed and comes back, and the flight and its telemetry go on",
  async (part) => {
    flight.watcher.clear();
    let worstGapMs = 0;
    let last = performance.now();
    const count = setInterval(() => {
      if (flight.watcher.frames().length > 0) last = performance.now();
      worstGapMs = Math.max(worstGapMs, performance.now() - last);
      flight.watcher.clear();
    }, 50);
    try {
      await killPods(part);
    } finally {
      clearInterval(count);
    }
    expect(flight.watcher.socket.connected).toBe(true);
    expect(worstGapMs).toBeLessThan(3_000);
    await flight.expectFlying();
    await until(() => client.logIn(pilot.username, pilot.password), MINUTES);
  },
  6 * MINUTES,
);

test.each(["redis", "gateway"])(
  "the %s is killed and comes back, the flight goes on, and telemetry returns",
  async (part) => {
    await killPods(part);
    await flight.watchAgain();
    await flight.expectFlying();
  },
  6 * MINUTES,
);

testIngressReplacement();

test(
  "after these failures the pilot and the drone have their tunnels again, with the same keys",
  async () => {
    await until(() => flight.pilotVpn.node.probe({ ...TCP_5001, host: flight.droneVpn.ip }), 3 * MINUTES);
  },
  4 * MINUTES,
);

testUpgrades();

test(
  "after the release is gone its generated Secrets are kept, and nothing of it is on the node",
  async () => {
    await Promise.all([flight.pilotVpn.node.destroy(), flight.droneVpn.node.destroy()]);
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
