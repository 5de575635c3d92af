import { lookup } from "node:dns/promises";
import { type AddressRange, DRONE_RANGE, inRange } from "../../domain/planes";
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
}

/** Decides which address may be dialled: a PipeError for all but physical drones and the operator's simulator hosts. */
export type AddressPolicy = (host: string, port: number) => Promise<Destination>;

/** A name is resolved once, and the address that came back is the one to dial. */
export function addressPolicy({
  drones = DRONE_RANGE,
  simulatorHosts,
  resolve = resolveName,
}: AddressPolicyOptions): AddressPolicy {
  return async (host, port) => {
    if (isAddress(host) && inRange(host, drones)) {
      return { address: host, port, vehicle: host, isDrone: true };
    }
    if (!simulatorHosts.includes(host)) {
      throw new PipeError("not_allowed", `${host} is neither a drone's address nor a simulator's host.`);
    }
    const address = isAddress(host) ? host : await resolve(host);
    if (!isAddress(address)) {
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
