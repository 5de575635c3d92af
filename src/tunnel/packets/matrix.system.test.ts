import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  asRoot,
  type HubTestbed,
  hubTestbed,
  type Namespace,
  type Target,
} from "../../testing/system/namespaces";
import { foreignInterface } from "../../testing/system/namespaces/foreign-interface";
import { showHub } from "../../testing/system/namespaces/hub-state";
import { DRONE_PORTS, HUB_ADDRESS } from "../../testing/system/namespaces/hub-testbed";
import { until } from "../../testing/until";
import { teardownFirewall } from "../firewall/firewall";
import type { Tunnel } from "../index";
import { publicKeyOf } from "../wireguard/keys";

let testbed: HubTestbed;
let tunnel: Tunnel;
let foreign: () => Promise<string>;
let foreignBefore: string;

const tcp = (port: number) => ({ protocol: "tcp" as const, port });
const udp = (port: number) => ({ protocol: "udp" as const, port });
/** Every port that some rule opens on some drone, and as many that no rule opens. */
const probed = [
  tcp(5001),
  tcp(6001),
  tcp(8554),
  udp(8554),
  udp(14900),
  tcp(22),
  tcp(80),
  tcp(14900),
  udp(5001),
];
/** Ports on the drone plane's hub address that the policy opens to drones. */
const openToDrones: readonly (ReturnType<typeof tcp> | ReturnType<typeof udp>)[] = [tcp(8088)];
const hubPorts = [tcp(22), tcp(80), udp(5001), ...openToDrones];
const servicePorts = [udp(53), tcp(53), tcp(443), tcp(444)];

/** Only the tests' own ticks: rules that they put above our chains stay there until then. */
const env = { DB_REFRESH_SECONDS: "3600", FIREWALL_EXTRA_ALLOW: "172.31.5.5/32:tcp/443" };

/** Each drone's owner, as `hubTestbed` lays it out. */
const owner = [0, 0, 1];
const opens = (operator: number, drone: number, { protocol, port }: Pick<Target, "protocol" | "port">) =>
  owner[drone] === operator &&
  [`tcp ${DRONE_PORTS[drone]}`, "tcp 8554", "udp 8554", "udp 14900", "tcp 22"].includes(
    `${protocol} ${port}`,
  );

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  testbed = await hubTestbed();
  foreign = await foreignInterface(testbed.hub);
  foreignBefore = await foreign();
  tunnel = await testbed.world.start({ os: testbed.hub.os, dataplane: "auto" }, env);
  await testbed.connectAll();
  await Promise.all([
    ...[...testbed.operators, ...testbed.drones].map(({ client }) => client.node.echo(...probed)),
    testbed.hub.echo(...hubPorts),
    testbed.services.echo(...servicePorts),
  ]);
  await until(
    () => testbed.operators[0].client.node.probe({ host: testbed.drones[0].ip, ...tcp(5001) }),
    60_000,
  );
}, 120_000);

interface Row {
  readonly from: Namespace;
  readonly what: string;
  readonly target: Target;
  readonly allowed: boolean;
}

function rows(): Row[] {
  const { operators, drones } = testbed;
  const row = (
    from: { client: { node: Namespace; name: string } },
    to: string,
    target: Target,
    allowed: boolean,
  ): Row => ({
    from: from.client.node,
    what: `${from.client.name} → ${to} ${target.protocol} ${target.port}`,
    target,
    allowed,
  });
  const peers = [...operators, ...drones];
  return [
    ...operators.flatMap((operator, o) =>
      drones.flatMap((drone, d) =>
        probed.map((port) =>
          row(operator, drone.client.name, { host: drone.ip, ...port }, opens(o, d, port)),
        ),
      ),
    ),
    ...peers.flatMap((from, index) =>
      (index < 3 ? operators : peers)
        .filter((to) => to !== from)
        .flatMap((to) =>
          [tcp(5001), udp(14900)].map((port) => row(from, to.client.name, { host: to.ip, ...port }, false)),
        ),
    ),
    ...peers
      .flatMap((from, index) =>
        ["10.70.0.1", "10.71.0.1", HUB_ADDRESS].flatMap((host) =>
          hubPorts.map((port) =>
            row(
              from,
              host,
              { host, ...port },
              index >= 3 && host === "10.71.0.1" && openToDrones.includes(port),
            ),
          ),
        ),
      )
      .filter(({ target }) => target.host !== HUB_ADDRESS),
    ...peers.flatMap((from) =>
      servicePorts.flatMap((port) => [
        row(from, "dns", { host: "172.31.0.2", ...port }, port.port === 53),
        row(from, "service", { host: "172.31.5.5", ...port }, port.port === 443),
      ]),
    ),
  ];
}

/** Each row tried at the same time; the ones whose answer is not the expected one. */
async function deviations(): Promise<string[]> {
  const tried = await Promise.all(
    rows().map(async ({ from, what, target, allowed }) => {
      const echoed = await from.probe(target, allowed ? 6_000 : 1_200);
      return echoed === allowed ? undefined : `${what}: ${echoed ? "open" : "shut"}`;
    }),
  );
  return tried.filter((line) => line !== undefined);
}

asRoot(
  "operators reach their own drones on the allowed ports, the edge and the extra destinations, and nothing else",
  async () => {
    expect(rows().filter(({ allowed }) => allowed)).toHaveLength(15 + 3 * openToDrones.length + 6 * 3);
    expect(await deviations()).toEqual([]);
  },
);

asRoot("a drone may answer an operator and may not open a connection, even from an open port", async () => {
  const [ann] = testbed.operators;
  const [d1] = testbed.drones;
  await expect(d1.client.node.probe({ host: ann.ip, ...udp(14900) }, 800, 14900)).resolves.toBe(false);
  await expect(d1.client.node.probe({ host: ann.ip, ...tcp(80) }, 800, 22)).resolves.toBe(false);
});

asRoot(
  "hosts on the uplink or the services' network neither reach a peer nor spoof a peer's address",
  async () => {
    const [d1] = testbed.drones;
    await testbed.services.shell("ip address add 10.70.0.2/32 dev lo");
    await expect(testbed.services.probe({ host: d1.ip, ...tcp(5001) }, 800)).resolves.toBe(false);
    await testbed.services.shell("ip route add 10.71.0.0/16 via 172.31.0.1 src 10.70.0.2");
    const before = await d1.client.node.packetsReceived(14900);
    await testbed.services.probe({ host: d1.ip, ...udp(14900) }, 800);
    expect(await d1.client.node.packetsReceived(14900)).toBe(before);
    // They came as far as the hub.
    expect(await testbed.hub.shell("iptables-save -c -t mangle")).toMatch(
      /\[[1-9]\d*:\d+\] -A FLEET-PREROUTING -s 10\.70\.0\.0\/16 ! -i users0 -j DROP/,
    );
    await testbed.services.shell("ip route del 10.71.0.0/16; ip address del 10.70.0.2/32 dev lo");
  },
);

asRoot("a drone's connection with a hub that was lost is reset when the drone speaks", async () => {
  const [d1] = testbed.drones;
  const connections = () => d1.client.node.shell("ss --no-header --tcp state established sport = :5001");
  const before = await connections();
  // A byte that nobody has read makes the kernel forget a connection as it is closed. Its RST does not come through.
  await testbed.hub.shell(`/bin/bash -c '
    exec 3<>/dev/tcp/${d1.ip}/5001
    printf ab >&3
    read -r -n 1 -u 3
    iptables -I INPUT -i drones0 -p tcp --sport 5001 -j DROP
    printf c >&3
    until iptables -nvxL INPUT 1 | grep -q "^ *[1-9]"; do sleep 0.05; done
    iptables -I OUTPUT -o drones0 -p tcp --dport 5001 -j DROP
    exec 3>&-
    conntrack -D -p tcp -d ${d1.ip} --dport 5001
    iptables -D OUTPUT 1'`);
  expect(await connections()).not.toBe(before);
  await testbed.hub.shell("iptables -D INPUT 1");
  await until(async () => (await connections()) === before, 20_000);
});

/** Names of the hub's and the members' public keys. A name shows which client holds the private key. */
async function keysByName(): Promise<ReadonlyMap<string, string>> {
  const { USERS_PRIVATE_KEY, DRONES_PRIVATE_KEY } = testbed.world.env;
  const hubKeys = [
    [publicKeyOf(USERS_PRIVATE_KEY as never), "the hub's key of users"],
    [publicKeyOf(DRONES_PRIVATE_KEY as never), "the hub's key of drones"],
  ] as const;
  const members = [...testbed.operators, ...testbed.drones].map(async ({ client }) => {
    const key = (await client.node.shell("wg show wg0 public-key")).trim();
    return [key, `${client.name}'s key`] as const;
  });
  return new Map([...hubKeys, ...(await Promise.all(members))]);
}

const golden = (backend: "nft" | "legacy") =>
  readFileSync(join(__dirname, "hub-state.txt"), "utf8").replace(
    "iptables-nft-save",
    `iptables-${backend}-save`,
  );

asRoot("`wg show`, `iptables-save` and `ipset save` on the hub print hub-state.txt", async () => {
  for (const name of ["users0", "drones0"]) {
    await until(async () => !/\t0$/m.test(await testbed.hub.shell(`wg show ${name} latest-handshakes`)));
  }
  expect(await showHub(testbed.hub, await keysByName())).toBe(golden("nft"));
});

asRoot(
  "the same packets pass when rules like kube-proxy's and a CNI's accept packets first",
  async () => {
    await testbed.hub.shell(`iptables -N KUBE-FORWARD
      iptables -A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
      iptables -A KUBE-FORWARD -s 10.0.0.0/8 -j ACCEPT
      iptables -A KUBE-FORWARD -d 10.0.0.0/8 -j ACCEPT
      iptables -I FORWARD 1 -j KUBE-FORWARD
      iptables -I INPUT 1 -s 10.0.0.0/8 -j ACCEPT
      iptables -t nat -A PREROUTING -p tcp --dport 80 -m addrtype --dst-type LOCAL -j DNAT --to-destination 172.31.5.5:444
      iptables -t nat -A POSTROUTING -s 10.0.0.0/8 -d 172.31.0.0/16 -j MASQUERADE`);
    expect(await deviations()).toEqual([]);
    tunnel.reconciler.enqueue("tick");
    await until(async () =>
      /\n-A FORWARD -j FLEET-FORWARD\n-A FORWARD -j KUBE/.test(
        await testbed.hub.shell("iptables-save -t filter"),
      ),
    );
    expect(await deviations()).toEqual([]);
  },
  90_000,
);

asRoot(
  "the same packets pass with the legacy tables of a host with rules of its own, without a new handshake",
  async () => {
    await tunnel.lifecycle.stop("another daemon follows");
    await teardownFirewall(testbed.hub.os);
    await testbed.hub.shell(`iptables -F
      iptables -X
      iptables -t nat -F
      iptables-legacy -A FORWARD -p tcp --dport 9 -j DROP`);
    const handshakes = () => testbed.hub.shell("wg show drones0 latest-handshakes | sort");
    const before = await handshakes();
    tunnel = await testbed.world.start({ os: testbed.hub.os, dataplane: "auto" }, env);
    await until(async () =>
      (await testbed.hub.shell("iptables-legacy-save")).includes("-j FLEET-POSTROUTING"),
    );
    await until(() => tunnel.lifecycle.state === "ready");
    expect(await deviations()).toEqual([]);
    expect(await handshakes()).toBe(before);
    const shown = await showHub(testbed.hub, await keysByName());
    // The host's own rule is where it was, behind ours.
    expect(shown).toContain("-A FORWARD -j FLEET-FORWARD\n-A FORWARD -p tcp -m tcp --dport 9 -j DROP\n");
    expect(shown.replace("-A FORWARD -p tcp -m tcp --dport 9 -j DROP\n", "")).toBe(golden("legacy"));
  },
  90_000,
);

asRoot("the hub did not change another WireGuard interface, wg0", async () => {
  expect(await foreign()).toBe(foreignBefore);
});
