import { lookup } from "node:dns/promises";
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { type AddressRange, DRONE_RANGE, inRange } from "../../domain/planes";
import { planeNames, planes } from "../../domain/tunnel-planes";
import { Refusal } from "./refusal";
import { isAddress, type Wish } from "./wish";

/** An address that may be dialled, and whom a dial there reaches. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  /**
   * One vehicle, however it is dialled: a drone is its address, for its port is a setting of its row that may
   * change; on a simulator's host each port is a vehicle of its own.
   */
  readonly vehicle: string;
  readonly isDrone: boolean;
}

export interface ReachOptions {
  readonly drones?: AddressRange;
  /** Names and addresses that may be dialled beyond the drones, in lower case. */
  readonly simulatorHosts: readonly string[];
  readonly resolve?: (name: string) => Promise<string>;
  /** Whether a simulator's address is none, whatever the operator's list or a name server says. */
  readonly forbids?: (address: string) => boolean;
}

/** Decides where the jumphost may connect to: physical drones, and simulators that the operator named. */
export class Reach {
  private readonly simulatorHosts: ReadonlySet<string>;

  constructor(private readonly options: ReachOptions) {
    this.simulatorHosts = new Set(options.simulatorHosts);
  }

  /** A name is resolved once, and what it gave is what is dialled. Rejects with a Refusal. */
  async find({ host, port }: Pick<Wish, "host" | "port">): Promise<Destination> {
    const { drones = DRONE_RANGE, resolve = resolveName, forbids = isForbidden } = this.options;
    if (isAddress(host) && inRange(host, drones)) {
      return { address: host, port, vehicle: host, isDrone: true };
    }
    if (!this.simulatorHosts.has(host)) {
      throw new Refusal("not_allowed", `${host} is neither a drone's address nor a simulator's host.`);
    }
    const address = isAddress(host) ? host : await resolve(host);
    if (!isAddress(address) || forbids(address)) {
      throw new Refusal("not_allowed", `${host} does not lead to a simulator.`);
    }
    return { address, port, vehicle: `${address}:${port}`, isDrone: false };
  }
}

async function resolveName(name: string): Promise<string> {
  try {
    return (await lookup(name, { family: 4 })).address;
  } catch (cause) {
    throw new Refusal("unreachable", `${name} has no address.`, { cause });
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

/** Loopback, metadata, the VPN's planes, and whatever address this node has. */
export function isForbidden(address: string): boolean {
  const ours = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return never.check(address) || ours.some((own) => own.address === address);
}
