import type { Ipv4 } from "../../domain/ipv4";
import { type Fleet, type FleetDrone, reachableDrones } from "../fleet";

export interface OpenPort {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}

/** Video, telemetry and shell of every drone; its own MAVLink port comes on top. */
const fixedPorts: readonly OpenPort[] = [
  { protocol: "tcp", port: 8554 },
  { protocol: "udp", port: 8554 },
  { protocol: "udp", port: 14900 },
  { protocol: "tcp", port: 22 },
];

export const openPorts = ({ port }: Pick<FleetDrone, "port">): OpenPort[] => [
  ...(port === undefined ? [] : [{ protocol: "tcp" as const, port }]),
  ...fixedPorts.filter((fixed) => !(fixed.protocol === "tcp" && fixed.port === port)),
];

/** `GET /firewall`: what each user's packets may reach, by the user's address. */
export type AllowState = Readonly<Record<string, UserAllowState>>;

export interface UserAllowState {
  readonly user_id: number;
  readonly drones: readonly {
    readonly drone_id: number;
    readonly ip: Ipv4;
    readonly ports: readonly OpenPort[];
  }[];
}

export function allowStateOf(fleet: Fleet): AllowState {
  const reachable = reachableDrones(fleet);
  return Object.fromEntries(
    fleet.users.map(({ rowId, ip }) => [
      ip,
      {
        user_id: rowId,
        drones: (reachable.get(ip) ?? []).map((drone) => ({
          drone_id: drone.rowId,
          ip: drone.ip,
          ports: openPorts(drone),
        })),
      },
    ]),
  );
}

/** The same as elements of an ipset `hash:ip,port,ip`: `10.70.0.2,tcp:5001,10.71.0.2`. */
export function setElementsOf(state: AllowState): Set<string> {
  const elements = new Set<string>();
  for (const [user, { drones }] of Object.entries(state)) {
    for (const { ip, ports } of drones) {
      for (const { protocol, port } of ports) elements.add(`${user},${protocol}:${port},${ip}`);
    }
  }
  return elements;
}
