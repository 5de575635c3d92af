import { fromNumber, type Ipv4, toNumber } from "./ipv4";

/** A contiguous block from which addresses are handed out, both ends included. */
export interface AddressRange {
  readonly name: "users" | "drones" | "simulated";
  readonly first: Ipv4;
  readonly last: Ipv4;
}

const range = (name: AddressRange["name"], first: string, last: string): AddressRange => ({
  name,
  first: first as Ipv4,
  last: last as Ipv4,
});

/** The network address and the hub's `.1` come before `first`; broadcast comes after `last`. */
export const USER_RANGE = range("users", "10.70.0.2", "10.70.255.254");
/** Physical drones: everything of 10.71.0.0/16 below the simulated block. */
export const DRONE_RANGE = range("drones", "10.71.0.2", "10.71.239.255");
/** Simulated drones: names for relay channels and VPN-IP calls, never routed and never a peer. */
export const SIMULATED_RANGE = range("simulated", "10.71.240.0", "10.71.255.254");

/** What a VPN-IP request's address starts with. */
export const DRONE_PLANE_PREFIX = "10.71.";

export function inRange(address: string, { first, last }: AddressRange): boolean {
  const value = toNumber(address);
  return value >= toNumber(first) && value <= toNumber(last);
}

export const addressAfter = (address: Ipv4): Ipv4 => fromNumber(toNumber(address) + 1);
