import { lookup } from "node:dns/promises";
import { isIP, isIPv6, SocketAddress } from "node:net";
import { DomainError } from "../domain/errors";
import { unmapIpv4 } from "../domain/ipv4";
import type { LinkTarget } from "./byte-stream";

/** Every address of a name, as the system resolves it. Rejects for an unknown name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The claims of all replicas, where there are several. */
export interface SharedClaims {
  /** Rejects with `vehicle_unreachable` when another drone has one of the endpoints, or with `unavailable`. */
  claimEndpoints(target: LinkTarget, endpoints: readonly string[]): Promise<void>;
  releaseEndpoints(key: string): void;
}

/**
 * Which drone has which vehicle. An autopilot's port serves one client, and two drones that reach one vehicle would each
 * command the other's: so one drone has an endpoint, from the opening of its link until its last user and watcher have left.
 *
 * endpoint: an address and port, however they are written. A name stands for each of its addresses; two names for one
 * machine that resolve to different addresses (a cluster's service and its pod) cannot be recognised as one.
 */
export class EndpointClaims {
  private readonly drones = new Map<string, string>();

  constructor(
    private readonly shared?: SharedClaims,
    private readonly resolve: Resolve = systemResolve,
  ) {}

  /**
   * Replaces the drone's earlier claim. Rejects with `vehicle_unreachable` when another drone has the endpoint, or when
   * the name does not resolve.
   */
  async claim(target: LinkTarget, signal: AbortSignal): Promise<void> {
    const { key } = target;
    const endpoints = await this.endpointsOf(target, signal);
    signal.throwIfAborted();
    if (endpoints.some((endpoint) => (this.drones.get(endpoint) ?? key) !== key)) throw claimedByAnother();
    this.forget(key);
    for (const endpoint of endpoints) this.drones.set(endpoint, key);
    await this.shared?.claimEndpoints(target, endpoints);
  }

  release(key: string): void {
    this.forget(key);
    this.shared?.releaseEndpoints(key);
  }

  private forget(key: string): void {
    for (const [endpoint, drone] of this.drones) if (drone === key) this.drones.delete(endpoint);
  }

  private async endpointsOf({ host, port, via }: LinkTarget, signal: AbortSignal): Promise<string[]> {
    // The database gives an address in the VPN to one drone only.
    if (via === "jumphost") return [];
    const addresses = isIP(host) ? [host] : await this.addressesOf(host, signal);
    return [...new Set(addresses.map((address) => `${canonical(address)}:${port}`))].sort();
  }

  /** The system's resolver cannot be stopped, but the wait for it can. */
  private addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) =>
        reject(new DomainError("vehicle_unreachable", `The name ${host} does not resolve.`, { cause }));
      if (signal.aborted) return fail(signal.reason);
      signal.addEventListener("abort", () => fail(signal.reason), { once: true });
      this.resolve(host).then(resolve, fail);
      return undefined;
    });
  }
}

export const claimedByAnother = (): DomainError =>
  new DomainError(
    "vehicle_unreachable",
    "Another drone is connected to the vehicle at this drone's address. Set this drone's port, or its link_host, to a simulator of its own.",
  );

const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** The machine's own addresses; a connection to the unspecified address ends there too. */
const OWN = new Set(["127.0.0.1", "::1", "0.0.0.0", "::"]);

/** One spelling for each address. */
function canonical(text: string): string {
  const address = isIPv6(text) ? new SocketAddress({ address: text, family: "ipv6" }).address : text;
  const plain = unmapIpv4(address);
  return OWN.has(plain) ? "itself" : plain;
}
