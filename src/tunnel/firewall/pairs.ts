import type { Ipv4 } from "../../domain/ipv4";
import { type Fleet, type FleetDrone, reachablePairs } from "../reconcile/fleet";
import type { OpenPort } from "./open-port";
import { dronePorts } from "./policy";

/** The ports of a drone that its user may reach. */
export const openPorts = ({ port }: Pick<FleetDrone, "port">): OpenPort[] => [
  ...(port === undefined ? [] : [{ protocol: "tcp" as const, port }]),
  ...dronePorts.filter((fixed) => !(fixed.protocol === "tcp" && fixed.port === port)),
];

/** `GET /firewall`: what each user's packets may reach, by the user's address. */
export type AllowState = Readonly<Record<string, UserAllowState>>;

interface UserAllowState {
  readonly user_id: number;
  readonly drones: readonly {
    readonly drone_id: number;
    readonly ip: Ipv4;
    readonly ports: readonly OpenPort[];
  }[];
}

export function allowStateOf(fleet: Fleet): AllowState {
  const reachable = new Map(fleet.users.map((user) => [user, [] as FleetDrone[]]));
  for (const [user, drone] of reachablePairs(fleet)) reachable.get(user)?.push(drone);
  return Object.fromEntries(
    [...reachable].map(([{ rowId, ip }, drones]) => [
      ip,
      {
        user_id: rowId,
        drones: drones.map((drone) => ({ drone_id: drone.rowId, ip: drone.ip, ports: openPorts(drone) })),
      },
    ]),
  );
}

/** A user and a drone that it may reach: `10.70.0.2 10.71.0.2 5001`, the port empty when the drone has none. */
export type Pair = string & { readonly __brand: "Pair" };

/** Every pair. A pair stands for all its ports, so that states of a large fleet are compared without them. */
export const pairsOf = (fleet: Fleet): Set<Pair> =>
  new Set(
    [...reachablePairs(fleet)].map(([user, drone]) => `${user.ip} ${drone.ip} ${drone.port ?? ""}` as Pair),
  );

/** A pair's elements of an ipset `hash:ip,port,ip`: `10.70.0.2,tcp:5001,10.71.0.2`. */
export function elementsOf(pair: Pair): string[] {
  const [user, drone, port] = pair.split(" ");
  return portsOf(port).map(({ protocol, port }) => `${user},${protocol}:${port},${drone}`);
}

/** The number of a pair's elements. */
export const countElements = (pair: Pair): number => portsOf(pair.split(" ")[2]).length;

const portsOf = (port: string | undefined) => openPorts({ port: port ? Number(port) : undefined });
