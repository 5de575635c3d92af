import type { PlaneName } from "../../../domain/tunnel-planes";
import { openObjects } from "../../../platform/objects/client";
import { ConfigStore, ENDPOINTS_KEY } from "../../../tunnel/client-configs/store";
import { atEndOfFile } from "../../clean-up";
import { FakeLeases, HUB_LEASE } from "../../fakes/fake-leases";
import { compiledPrograms } from "../../programs/programs";
import { until } from "../../until";
import { TEST_VPN_BUCKET, type TunnelWorld, tunnelWorld } from "../../worlds/start-tunnel";
import { FloatingAddress } from "./floating-address";
import { HUB_ADDRESS, type Member } from "./hub-testbed";
import { Namespace } from "./namespace";
import { PairedHub } from "./paired-hub";
import { VpnClient } from "./vpn-client";

/** Two hubs with the same keys, one public address that follows readiness, an operator and their drone, both idle. */
export interface HubPair {
  readonly world: TunnelWorld;
  readonly leases: FakeLeases;
  readonly hubs: readonly [PairedHub, PairedHub];
  readonly address: FloatingAddress<PairedHub>;
  readonly operator: Member;
  readonly drone: Member;
  /** Give both clients their configs anew, which makes them shake hands, and wait until the drone echoes. */
  connect(limitMs?: number): Promise<void>;
  /** Whether the clients' current endpoints are in the object store. */
  areEndpointsSaved(): Promise<boolean>;
  /** Deletes the peers' endpoints from the object store. */
  forgetEndpoints(): Promise<void>;
}

export const PAIR_LEASE = HUB_LEASE;

/** `askEveryMs`: how often the public address asks which hub is ready. */
export async function hubPair(
  env: Readonly<Record<string, string>> = {},
  { askEveryMs = 1_000 } = {},
): Promise<HubPair> {
  const [world, leases, wan] = await Promise.all([
    tunnelWorld(),
    FakeLeases.listening(),
    Namespace.create("wan"),
  ]);
  await wan.shell("echo 1 > /proc/sys/net/ipv4/ip_forward");
  const programs = compiledPrograms();
  const hub = (name: "a" | "b", link: number) =>
    PairedHub.on({ name, link, wan, world, leases, programs, env });
  const hubs = [await hub("a", 1), await hub("b", 5)] as const;
  const address = new FloatingAddress(hubs, {
    serves: async (one) => (await one.readiness()) === "ready",
    routeTo: (one) => wan.shell(`ip route replace ${HUB_ADDRESS}/32 via ${one.address}`),
    everyMs: askEveryMs,
  });
  const ann = await VpnClient.create("ann", wan, HUB_ADDRESS, 1);
  const d1 = await VpnClient.create("d1", wan, HUB_ADDRESS, 2);
  const operator = { client: ann, ...(await world.fleet.user("10.70.0.2")) };
  const drone = { client: d1, ...(await world.fleet.drone("10.71.0.2", operator.id)) };
  const connect = async (limitMs = 20_000) => {
    await Promise.all([join(world, "users", operator), join(world, "drones", drone)]);
    await until(() => droneEchoes({ operator, drone }), limitMs);
  };
  await d1.node.echo({ protocol: "tcp", port: 22 });
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = world.env as Store;
  const objects = openObjects({
    S3_ENDPOINT,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    S3_REGION: "us-east-1",
  });
  atEndOfFile(async () => objects.destroy());
  const store = new ConfigStore(objects, TEST_VPN_BUCKET);
  const areEndpointsSaved = async () => {
    const saved = (await store.get(ENDPOINTS_KEY)) ?? "";
    return (await Promise.all([ann, d1].map((client) => client.endpoint()))).every((at) =>
      saved.includes(`"${at}"`),
    );
  };
  const forgetEndpoints = () => store.delete(ENDPOINTS_KEY);
  return {
    world,
    leases,
    hubs,
    address,
    operator,
    drone,
    connect,
    areEndpointsSaved,
    forgetEndpoints,
  };
}

type Store = Record<"S3_ENDPOINT" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>;

/** With the config that the hub published. */
async function join({ objects }: TunnelWorld, plane: PlaneName, { id, client }: Member): Promise<void> {
  const url = `${objects.url}/${TEST_VPN_BUCKET}/vpn/${plane}/${id}.conf`;
  const config = await until(async () => {
    const text = await (await fetch(url)).text();
    // The test's store shows an object while it is still written.
    return text.endsWith("PersistentKeepalive = 25\n") && text;
  }, 20_000);
  await client.join(config);
}

/** Whether the drone echoes a byte of the operator through the hub. */
export const droneEchoes = ({ operator, drone }: Pick<HubPair, "operator" | "drone">): Promise<boolean> =>
  operator.client.node.probe({ host: drone.ip, protocol: "tcp", port: 22 }, 500);
