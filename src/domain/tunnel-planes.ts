import type { Ipv4 } from "./ipv4";
import { type AddressRange, DRONE_RANGE, USER_RANGE } from "./planes";

export type PlaneName = "users" | "drones";

/** A WireGuard network that the tunnel service manages. The core plane (wg0, 10.69.0.0/16) is not one. */
export interface Plane {
  readonly name: PlaneName;
  readonly interface: "users0" | "drones0";
  /** UDP port of the hub. */
  readonly port: number;
  readonly network: string;
  /** The hub's own address in the plane. */
  readonly hub: Ipv4;
  readonly prefixLength: 16;
  /** Addresses that a peer may have. */
  readonly range: AddressRange;
  /** MTU in client configs, and of the hub's interface unless it is set otherwise. */
  readonly mtu: number;
}

export const planes: Readonly<Record<PlaneName, Plane>> = {
  users: {
    name: "users",
    interface: "users0",
    port: 51823,
    network: "10.70.0.0/16",
    hub: "10.70.0.1" as Ipv4,
    prefixLength: 16,
    range: USER_RANGE,
    mtu: 1500,
  },
  drones: {
    name: "drones",
    interface: "drones0",
    port: 51824,
    network: "10.71.0.0/16",
    hub: "10.71.0.1" as Ipv4,
    prefixLength: 16,
    range: DRONE_RANGE,
    mtu: 1350,
  },
};

export const planeNames = Object.keys(planes) as PlaneName[];

/** What every client routes through its tunnel: core, user and drone plane, and the services' network. */
export const tunnelledNetworks = ["10.69.0.0/16", "10.70.0.0/16", "10.71.0.0/16", "172.31.0.0/16"] as const;
