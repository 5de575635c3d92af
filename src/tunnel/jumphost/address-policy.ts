import { lookup } from "node:dns/promises";
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { type AddressRange, DRONE_RANGE, inRange } from "../../domain/planes";
import { planeNames, planes } from "../../domain/tunnel-planes";
import { PipeError } from "./pipe-error";
import { isAddress } from "./pipe-request";

/** An address that may be dialled, and the vehicle there. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  /**
   * Identifies the vehicle, however it is dialled: a drone by its address, because the port in its row may change; a
   * simulated vehicle by address and port.
   */
  readonly vehicle: string;
  readonly isDrone: boolean;
}

interface AddressPolicyOptions {
  readonly drones?: AddressRange;
  /** Names and addresses that may be dialled beside the drones, in lower case. */
  readonly simulatorHosts: readonly string[];
  readonly resolve?: (name: string) => Promise<string>;
  /** Whether no simulator may have the address, whatever the operator's list or a name server says. */
  readonly forbids?: (address: string) => boolean;
}

/** Decides which address may be dialled: a PipeError for all but physical drones and the operator's simulator hosts. */
export type AddressPolicy = (host: string, port: number) => Promise<Destination>;

/** A name is resolved once, and the address that came back is the one to dial. */
export function addressPolicy({
  drones = DRONE_RANGE,
  simulatorHosts,
  resolve = resolveName,
  forbids = isForbidden,
}: AddressPolicyOptions): AddressPolicy {
  return async (host, port) => {
    if (isAddress(host) && inRange(host, drones)) {
      return { address: host, port, vehicle: host, isDrone: true };
    }
    if (!simulatorHosts.includes(host)) {
      throw new PipeError("not_allowed", `${host} is neither a drone's address nor a simulator's host.`);
    }
    const address = isAddress(host) ? host : await resolve(host);
    if (!isAddress(address) || forbids(address)) {
      throw new PipeError("not_allowed", `${host} does not lead to a simulator.`);
    }
    return { address, port, vehicle: `${address}:${port}`, isDrone: false };
  };
}

async function resolveName(name: string): Promise<string> {
  try {
    return (await lookup(name, { family: 4 })).address;
  } catch (cause) {
    throw new PipeError("unreachable", `${name} has no address.`, { cause });
  }
}

const never = new BlockList();
never.addSubnet("0.0.0.0", 8);
never.addSubnet("127.0.0.0", 8);
// Link-local, where clouds keep their metadata.
never.addSubnet("169.254.0.0", 16);
// Alibaba's metadata, in the shared address space.
never.addAddress("100.100.100.200");
never.addSubnet("192.0.0.0", 24);
// Multicast, reserved and broadcast.
never.addSubnet("224.0.0.0", 3);
for (const plane of planeNames) never.addSubnet(planes[plane].hub, 16);

/** Loopback, metadata, the VPN's planes, and every address of this node. */
export function isForbidden(address: string): boolean {
  const ours = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return never.check(address) || ours.some((own) => own.address === address);
}
