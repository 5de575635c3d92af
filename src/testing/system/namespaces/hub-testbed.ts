import { until } from "../../until";
import { startTestGateway, type TestGateway } from "../../worlds/start-gateway";
import { type TunnelWorld, tunnelWorld } from "../../worlds/start-tunnel";
import { Namespace } from "./namespace";
import { VpnClient } from "./vpn-client";

/** The hub's public address, outside of both planes. */
export const HUB_ADDRESS = "192.0.2.1";

export interface Member {
  readonly client: VpnClient;
  readonly id: number;
  readonly ip: string;
}

/** A hub, a server of the services' network, three operators, three drones, two owners; on links, not yet in tunnels. */
export interface HubTestbed {
  readonly world: TunnelWorld;
  readonly hub: Namespace;
  readonly services: Namespace;
  /** The first owns drones 0 and 1, the second drone 2, the third none. */
  readonly operators: readonly [Member, Member, Member];
  readonly drones: readonly [Member, Member, Member];
  /** For downloads of configs; it has no connection to the hub. */
  readonly gateway: TestGateway;
  /** Give the member the config that its owner downloads now, once it is another than before. */
  connect(member: Member, plane: "users" | "drones"): Promise<string>;
  connectAll(): Promise<void>;
}

export const DRONE_PORTS = [5001, 6001, 5001] as const;

export async function hubTestbed(): Promise<HubTestbed> {
  const [world, hub, services] = await Promise.all([
    tunnelWorld(),
    Namespace.create("hub"),
    Namespace.create("services"),
  ]);
  await hub.shell(`ip address add ${HUB_ADDRESS}/32 dev lo`);
  await services.link(hub, { name: "eth0", ip: "172.31.0.2/16" }, { name: "services", ip: "172.31.0.1/16" });
  await services.shell(`ip address add 172.31.5.5/16 dev eth0
    ip route add default via 172.31.0.1`);
  const clients: VpnClient[] = [];
  for (const [index, name] of ["ann", "ben", "cleo", "d1", "d2", "d3"].entries()) {
    clients.push(await VpnClient.create(name, hub, HUB_ADDRESS, index + 1));
  }
  const [ann, ben, cleo, d1, d2, d3] = clients as [
    VpnClient,
    VpnClient,
    VpnClient,
    VpnClient,
    VpnClient,
    VpnClient,
  ];
  const user = async (client: VpnClient, ip: string): Promise<Member> => ({
    client,
    ...(await world.fleet.user(ip)),
  });
  const operators = [
    await user(ann, "10.70.0.2"),
    await user(ben, "10.70.0.3"),
    await user(cleo, "10.70.0.4"),
  ] as const;
  const drone = async (client: VpnClient, ip: string, owner: Member, port: number): Promise<Member> => ({
    client,
    ...(await world.fleet.drone(ip, owner.id, port)),
  });
  const drones = [
    await drone(d1, "10.71.0.2", operators[0], DRONE_PORTS[0]),
    await drone(d2, "10.71.0.3", operators[0], DRONE_PORTS[1]),
    await drone(d3, "10.71.0.4", operators[1], DRONE_PORTS[2]),
  ] as const;

  const { DATABASE_URL, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = world.env as Store;
  const gateway = await startTestGateway({
    DATABASE_URL,
    S3_ENDPOINT,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
  });
  const configs = new Map<string, string>();
  const connect = async ({ client, id }: Member, plane: "users" | "drones") => {
    const config = await until(async () => {
      const response = await fetch(await configUrl(gateway, plane, id));
      const text = await response.text();
      // The test's store shows an object while it is still written.
      const isWhole = response.ok && text.endsWith("PersistentKeepalive = 25\n");
      return isWhole && text !== configs.get(client.name) && text;
    });
    configs.set(client.name, config);
    await client.join(config);
    return config;
  };
  const connectAll = async () => {
    await Promise.all([
      ...operators.map((member) => connect(member, "users")),
      ...drones.map((member) => connect(member, "drones")),
    ]);
  };
  return {
    world,
    gateway,
    hub,
    services,
    operators: [...operators],
    drones: [...drones],
    connect,
    connectAll,
  };
}

type Store = Record<"DATABASE_URL" | "S3_ENDPOINT" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>;

/** As the user, or the drone's owner, asks for it. */
async function configUrl(gateway: TestGateway, plane: "users" | "drones", id: number): Promise<string> {
  const { db } = gateway.deps;
  const owner = plane === "users" ? id : (await db("drones").where({ id }).first("user_id")).user_id;
  const api = gateway.api.as(gateway.features.account.tokens.pair(owner).access_token);
  const { status, body } = await api.get(plane === "users" ? "/user/vpn" : `/drone/${id}/vpn`);
  if (status !== 200) throw new Error(`No link to a config: ${status} ${JSON.stringify(body)}`);
  return body.url;
}
