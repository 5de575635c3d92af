import { lookup } from "node:dns/promises";
import { isIP, isIPv6, SocketAddress } from "node:net";
import { DomainError } from "../domain/errors";
import { unmapped } from "../domain/ipv4";
import type { LinkTarget } from "./byte-stream";

/** Every address of a name, as the system resolves it. Rejects for a name that it does not know. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The same question among all replicas, where there are several. */
export interface SharedPlaces {
  /** Rejects with `vehicle_unreachable` when another drone has one of them, or with `unavailable`. */
  hold(target: LinkTarget, places: readonly string[]): Promise<void>;
  free(key: string): void;
}

/**
 * Which drone has which vehicle. An autopilot's port serves one client, and two drones that reach one vehicle would
 * each command the other's: so one drone has a place, from its link's opening until nobody uses or watches it.
 *
 * place: an address and port, however they are written. A name stands for each of its addresses; two names for one
 * machine that resolve to different addresses (a cluster's service and its pod) cannot be told to be one.
 */
export class Places {
  private readonly drones = new Map<string, string>();

  constructor(
    private readonly shared?: SharedPlaces,
    private readonly resolve: Resolve = systemResolve,
  ) {}

  /** Rejects with `vehicle_unreachable` when another drone has it, or the name is none. The last one asked for counts. */
  async hold(target: LinkTarget, signal: AbortSignal): Promise<void> {
    const { key } = target;
    const places = await this.placesOf(target, signal);
    signal.throwIfAborted();
    if (places.some((place) => (this.drones.get(place) ?? key) !== key)) throw takenByAnother();
    this.forget(key);
    for (const place of places) this.drones.set(place, key);
    await this.shared?.hold(target, places);
  }

  free(key: string): void {
    this.forget(key);
    this.shared?.free(key);
  }

  private forget(key: string): void {
    for (const [place, drone] of this.drones) if (drone === key) this.drones.delete(place);
  }

  private async placesOf({ host, port, via }: LinkTarget, signal: AbortSignal): Promise<string[]> {
    // An address in the VPN is one drone's alone, as the database has it.
    if (via === "jumphost") return [];
    const addresses = isIP(host) ? [host] : await this.addressesOf(host, signal);
    return [...new Set(addresses.map((address) => `${plainAddress(address)}:${port}`))].sort();
  }

  /** The system's resolver cannot be stopped, but it need not be waited for. */
  private addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) =>
        reject(new DomainError("vehicle_unreachable", `The name ${host} leads nowhere.`, { cause }));
      if (signal.aborted) return fail(signal.reason);
      signal.addEventListener("abort", () => fail(signal.reason), { once: true });
      this.resolve(host).then(resolve, fail);
      return undefined;
    });
  }
}

export const takenByAnother = (): DomainError =>
  new DomainError(
    "vehicle_unreachable",
    "Another drone is connected to the vehicle at this drone's address. Set this drone's port, or its link_host, to a simulator of its own.",
  );

const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** What a machine calls itself; a connection to the unspecified address ends there too. */
const ITSELF = new Set(["127.0.0.1", "::1", "0.0.0.0", "::"]);

/** One spelling for each address. */
function plainAddress(text: string): string {
  const address = isIPv6(text) ? new SocketAddress({ address: text, family: "ipv6" }).address : text;
  const plain = unmapped(address);
  return ITSELF.has(plain) ? "itself" : plain;
}
