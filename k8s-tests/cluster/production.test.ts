import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import type { components } from "../../src/client/api-types";
import { FleetClient, reply } from "../../src/client/client";
import { atEndOfFile } from "../../src/testing";
import { freshFolder } from "../../src/testing/fresh-servers";
import { VpnClient } from "../../src/testing/system/namespaces";
import { requestIn } from "../../src/testing/system/namespaces/links";
import { until } from "../../src/testing/until";
import { TestWatcher } from "../../src/testing/watcher";
import { JanusRooms } from "../../src/testing/worlds/janus-rooms";
import { sha256 } from "../../src/testing/worlds/uploads";
import { downloadConfig } from "./client-config";
import { createSecret, createSecrets } from "./example-secrets";
import { leftOnNode } from "./node-pod";
import { createGateway, publicListener } from "./own-gateway";
import { ownServers, publishObjects } from "./own-servers";
import { ProbePod } from "./probe-pod";
import {
  admin,
  autoscaling,
  coordination,
  core,
  deleteNamespace,
  deployExamples,
  discovery,
  exec,
  expectHelmTestSucceeds,
  hubHost,
  image,
  isReady,
  killPods,
  namespace,
  podsIn,
  podsOf,
  release,
  uninstall,
  withoutPolicies,
} from "./release";
import { slowestRoundTrip } from "./round-trips";

/**
 * The production example beside servers of an operator's own, with what it leaves to them: TLS at a Gateway and at the
 * Ingress, Secrets, a leased hub, a worker that packages videos, Janus. In the order of the release's life.
 */

const origin = process.env.FLEET_TLS_ORIGIN ?? "https://fleet.localtest.me:8443";
const host = new URL(origin).hostname;
const objectsHost = host.replace("fleet", "objects");
const ingressHost = host.replace("fleet", "ingress");
const janusImage = process.env.FLEET_JANUS_IMAGE ?? "";
const MINUTES = 60_000;
const ECHO = { protocol: "tcp", port: 5001 } as const;
const EDGE = "http://10.71.0.1:8088/api/v1";

const pilot = { username: `pilot-${Date.now()}@example.com`, password: randomBytes(12).toString("hex") };
const client = new FleetClient(origin);
let token: string;
let drone: components["schemas"]["Drone"];
let pilotVpn: VpnClient;
let droneVpn: VpnClient;
let scraper: ProbePod;

const little = { cpu: "50m" };

test(
  "the production values install beside an operator's own servers, and everything is ready",
  async () => {
    const certificate = {
      "tls.crt": readFileSync(process.env.FLEET_TLS_CERTIFICATE ?? "", "utf8"),
      "tls.key": readFileSync(process.env.FLEET_TLS_KEY ?? "", "utf8"),
    };
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    scraper = await ProbePod.create("fleet-test-monitoring", "scraper");
    const [servers] = await Promise.all([ownServers(), createSecrets(scraper, certificate)]);
    for (const [name, data] of Object.entries(servers.secrets))
      await createSecret(`fleet-external-${name}`, data);
    await createGateway(Number(new URL(origin).port || 443), certificate);
    await publishObjects(objectsHost);
    const { postgres, redis, minio } = servers.addresses;
    await deployExamples(["production", "gateway-api"], {
      "image.pullSecrets": [],
      "workerImage.repository": `${image.repository}-worker`,
      "workerImage.tag": image.tag,
      publicOrigin: origin,
      corsOrigins: [origin],
      "gateway.resources.requests": little,
      "relay.resources.requests": little,
      "worker.resources.requests": little,
      "tunnel.resources.requests": little,
      "tunnel.userspace.resources.requests": little,
      "tunnel.dataplane": "wireguard-go",
      "tunnel.lease.enabled": true,
      "networkPolicy.tunnelNodes": [],
      "networkPolicy.metricsFrom": [podsIn("fleet-test-monitoring")],
      "external.database.cidrs": [`${postgres}/32`],
      "external.database.createTunnelRole": true,
      "external.redis.cidrs": [`${redis}/32`],
      "external.objects": {
        ...{ endpoint: servers.objectsEndpoint, existingSecret: "fleet-external-objects" },
        cidrs: [`${minio}/32`],
      },
      "objects.publicEndpoint": origin.replace(host, objectsHost),
      "route.parentRefs": [publicListener],
      "route.host": host,
      // Both ways in at once, as while one moves from the one to the other.
      "ingress.enabled": true,
      "ingress.host": ingressHost,
      // Their kinds are the Prometheus operator's.
      "monitoring.podMonitor": false,
      "monitoring.rules": false,
      ...(janusImage && {
        "janus.enabled": true,
        "janus.image": janusImage,
        "janus.publicAddress": hubHost,
        "janus.rtpPorts": "30000-30019",
        "janus.service.type": "NodePort",
        "janus.resources.requests": little,
      }),
    });
    const ready: Record<string, number> = {};
    for (const part of ["gateway", "relay", "worker", "tunnel", "active-hub", "janus"]) {
      ready[part] = (await podsOf(part)).filter(isReady).length;
    }
    const hubs = ready.tunnel ?? 0;
    expect(hubs).toBeGreaterThan(0);
    expect(ready).toEqual({
      ...{ gateway: 2, relay: 3, worker: 2, tunnel: hubs, "active-hub": 1, janus: janusImage ? 1 : 0 },
    });
  },
  15 * MINUTES,
);

test("helm test finds every part healthy", expectHelmTestSucceeds, 5 * MINUTES);

test(
  "a client logs in, listens and flies by TLS, through the Gateway and through the Ingress, with their certificates",
  async () => {
    await admin(["create-user", "--username", pilot.username, "--active"], `${pilot.password}\n`);
    await admin(["grant-subscription", "--username", pilot.username, "--vehicles", "1"]);
    token = (await client.logIn(pilot.username, pilot.password)).access_token;
    const copter = { type: "physical", name: "Far", vehicle_type: "copter" } as const;
    drone = await reply(client.api.POST("/drone", { body: copter }));
    // A route has no affinity, which long polling needs with two gateways; the Ingress has a cookie.
    const byIngress = origin.replace(host, ingressHost);
    for (const [through, transport] of [
      [origin, "websocket"],
      [byIngress, "websocket"],
      ...Array.from({ length: 4 }, () => [byIngress, "polling"] as const),
    ] as const) {
      const watcher = new TestWatcher(through, token, {
        transports: [transport],
        upgrade: false,
        withCredentials: true,
      });
      await watcher.subscribe(drone.id, "dashboard");
      expect([through, transport, watcher.all("subscription_confirmed").length]).toEqual([
        through,
        transport,
        1,
      ]);
      watcher.socket.disconnect();
    }
    for (const through of [origin, byIngress]) {
      const url = `${through.replace("https", "wss")}/redispad/${drone.id}?access_token=${token}`;
      const socket = new WebSocket(url);
      atEndOfFile(async () => socket.terminate());
      await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
      socket.close();
    }
  },
  2 * MINUTES,
);

/** The hub that serves, as the Lease says: its node and a random part, by which it differs from the one before. */
async function leaseHolder(): Promise<string | undefined> {
  const lease = await coordination.readNamespacedLease({ namespace, name: `${release}-tunnel-hub` });
  return lease.spec?.holderIdentity;
}

/** The nodes to which the hub's Service leads. */
async function served(): Promise<(string | undefined)[]> {
  const labelSelector = `kubernetes.io/service-name=${release}-tunnel`;
  const slices = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector });
  const endpoints = slices.items.flatMap(({ endpoints }) => endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready).map(({ nodeName }) => nodeName);
}

const hubNode = async (): Promise<string | undefined> => (await podsOf("tunnel"))[0]?.spec?.nodeName;

test("the hub that serves has the Lease, and its Service leads to no other", async () => {
  const node = await hubNode();
  expect(await leaseHolder()).toMatch(new RegExp(`^${node}_.`));
  expect(await served()).toEqual([node]);
});

test(
  "pilot and drone join the leased hub with configs that they download by TLS, and the drone is identified by its address",
  async () => {
    pilotVpn = await VpnClient.onThisMachine("pilot");
    await pilotVpn.join(await downloadConfig(client));
    const headers = { "X-Activation-Token": String(drone.activation_token) };
    const { vpn } = await reply(new FleetClient(origin, { headers }).api.GET("/drone/activate"));
    droneVpn = await VpnClient.onThisMachine("drone");
    await droneVpn.join(await (await fetch(vpn)).text());
    await until(async () => {
      const asked = await requestIn(droneVpn.node, "POST", `${EDGE}/executions/start`, {}, {});
      expect(asked).toMatchObject({ status: 200, body: { drone_id: drone.id } });
    }, MINUTES);
    await droneVpn.node.echo(ECHO);
    await until(() => pilotVpn.node.probe({ ...ECHO, host: droneVpn.ip }), MINUTES);
  },
  4 * MINUTES,
);

test(
  "the hub's pod is killed: another hub gets the Lease, the Service leads to it, and a stream goes on",
  async () => {
    const [node, before] = [await hubNode(), await leaseHolder()];
    await pilotVpn.node.stream("killed", { ...ECHO, host: droneVpn.ip });
    await killPods("tunnel");
    await until(async () => {
      const holder = await leaseHolder();
      expect(holder).not.toBe(before);
      expect(holder).toMatch(new RegExp(`^${node}_.`));
      expect(await served()).toEqual([node]);
    }, MINUTES);
    expect(await slowestRoundTrip(pilotVpn, "killed")).toBeLessThan(MINUTES);
  },
  4 * MINUTES,
);

test(
  "a drone's video, uploaded through the edge, is packaged by a worker and can be played by TLS",
  async () => {
    // H.264 is packaged as it is, so that a segment begins at a keyframe of the film's.
    const filming =
      "ffmpeg -loglevel error -f lavfi -i testsrc=size=320x240:rate=10:duration=10 -c:v libx264 -g 10 -movflags frag_keyframe+empty_moov -f mp4 pipe:1 | base64 -w0";
    const film = await exec(`deployment/${release}-worker`, "worker", ["sh", "-c", filming]);
    const checksum = sha256(Buffer.from(film, "base64"));
    const asked = await requestIn(
      droneVpn.node,
      "POST",
      `${EDGE}/authenticate_upload`,
      {},
      {
        ...{ file_name: "flight.mp4", asset_type: "video", mime_type: "video/mp4", checksum },
      },
    );
    expect(asked).toMatchObject({ status: 200 });
    const { url, asset_id } = asked.body;
    const file = join(freshFolder("film"), "flight.mp4");
    writeFileSync(file, Buffer.from(film, "base64"));
    await droneVpn.node.shell(`curl --silent --show-error --fail --upload-file ${file} '${url}'`);
    const completed = await requestIn(droneVpn.node, "POST", `${EDGE}/complete_upload`, {}, { asset_id });
    expect(completed).toMatchObject({ status: 200, body: { drone_id: drone.id } });

    await until(async () => {
      const params = { path: { vehicle_id: drone.id } };
      const { data } = await reply(client.api.GET("/assets/{vehicle_id}", { params }));
      expect(data).toContainEqual(expect.objectContaining({ id: asset_id, stream: "ready" }));
    }, 2 * MINUTES);
    const playlist = await fetch(`${origin}/api/v1/assets/${drone.id}/video/${asset_id}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const segments = (await playlist.text()).split("\n").filter((line) => line.startsWith("https://"));
    expect(segments).toHaveLength(3);
    for (const segment of segments) expect((await fetch(segment)).status).toBe(200);
  },
  5 * MINUTES,
);

/** A port of this machine that leads to Janus's, until the end of the file. */
async function forwarded(): Promise<number> {
  const args = ["--namespace", namespace, "port-forward", `service/${release}-janus`, ":8088"];
  const child = spawn("kubectl", args);
  atEndOfFile(async () => void child.kill());
  const [line] = await new Promise<string[]>((resolve) =>
    createInterface({ input: child.stdout }).once("line", (said) => resolve([said])),
  );
  return Number(/:(\d+) ->/.exec(line ?? "")?.[1]);
}

(janusImage ? test : test.skip)(
  "a video room is opened in the chart's Janus, and closed",
  async () => {
    const { data = {} } = await core.readNamespacedSecret({ namespace, name: `${release}-janus` });
    const value = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
    const rooms = new JanusRooms({
      url: `http://127.0.0.1:${await forwarded()}/janus`,
      apiSecret: value("api-secret"),
      adminKey: value("admin-key"),
    });
    const params = { path: { drone_id: drone.id } };
    const { room_number } = await reply(client.api.GET("/video_room/{drone_id}/start", { params }));
    expect(room_number).toBe(drone.id);
    expect(await rooms.find(room_number)).toMatchObject({ pin_required: true });
    await reply(client.api.GET("/video_room/{drone_id}/stop", { params }));
    expect(await rooms.find(room_number)).toBeUndefined();
  },
  MINUTES,
);

test("only the monitoring's namespace reads metrics", async () => {
  const otherPod = await ProbePod.create("fleet-test-elsewhere", "other-pod");
  const pods = (await Promise.all(["gateway", "relay", "worker"].map(podsOf))).flat().filter(isReady);
  const targets = pods.map(({ metadata, status }) => {
    const port = metadata?.annotations?.["prometheus.io/port"];
    return `${status?.podIP}:${port}`;
  });
  expect(targets).toHaveLength(7);
  const all = (opens: boolean) => Object.fromEntries(targets.map((target) => [target, opens]));
  const expectGuarded = async () => {
    expect(await scraper.opens(targets)).toEqual(all(true));
    expect(await otherPod.opens(targets)).toEqual(all(false));
  };
  await expectGuarded();
  await withoutPolicies(() =>
    until(async () => expect(await otherPod.opens(targets)).toEqual(all(true)), MINUTES),
  );
  await until(expectGuarded, MINUTES);
}, 240_000);

test("the autoscaler scales the relays", async () => {
  const name = `${release}-relay`;
  const { spec, status } = await autoscaling.readNamespacedHorizontalPodAutoscaler({ namespace, name });
  expect(spec).toMatchObject({ minReplicas: 3, maxReplicas: 12, scaleTargetRef: { name } });
  expect(status?.currentReplicas).toBe(3);
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "AbleToScale", status: "True" }));
});

test(
  "after the release is uninstalled nothing of it is on the node, and the given Secrets are still there",
  async () => {
    await Promise.all([pilotVpn.node.destroy(), droneVpn.node.destroy()]);
    await uninstall();
    await until(async () => (await core.listNamespacedPod({ namespace })).items.length === 0, 3 * MINUTES);
    expect(await leftOnNode()).toEqual([]);
    const names = (await core.listNamespacedSecret({ namespace })).items.map(
      ({ metadata }) => metadata?.name,
    );
    expect(names).toEqual(
      expect.arrayContaining(["fleet-keys", "fleet-hub-keys", "fleet-external-database"]),
    );
    await deleteNamespace(namespace);
  },
  12 * MINUTES,
);
