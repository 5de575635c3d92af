import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../../platform/config";
import type { LinkTarget } from "../../vehicle/byte-stream";
import type { Drone } from "./drones.store";

export type DialConfig = Pick<
  GatewayConfig,
  | "ACCESS_PROFILE"
  | "DEPLOYMENT"
  | "JUMPHOST_URL"
  | "SIMULATOR_HOSTS"
  | "SIMULATOR_PORT"
  | "SIMULATOR_COPTERS"
  | "SIMULATOR_ROVERS"
>;

/** A drone's key in the link pool. */
export const linkKey = (droneId: number): string => `drone:${droneId}`;

/** The drone's id of such a key. */
export const droneOf = (key: string): number => Number(key.slice("drone:".length));

/**
 * Where a drone is dialled: a physical one at its own address, through the jumphost when there is one; a
 * simulated one at its simulator, directly. Throws `vehicle_unreachable` for an address that may not be dialled.
 */
export function linkTarget(
  config: DialConfig,
  drone: Pick<Drone, "id" | "type" | "ip" | "port" | "link_host">,
): LinkTarget {
  const key = linkKey(drone.id);
  if (drone.type === "physical") {
    if (!drone.ip) throw new DomainError("vehicle_unreachable", "This drone has no VPN address.");
    return { key, host: drone.ip, port: drone.port, via: config.JUMPHOST_URL ? "jumphost" : "direct" };
  }
  // Checked here as well as at the API, so that a shorter list applies to drones that were stored before.
  const refusal = refusesSimulator(config, drone);
  if (refusal) throw new DomainError("vehicle_unreachable", refusal);
  return { key, host: drone.link_host ?? ownSimulatorHost(config), port: drone.port, via: "direct" };
}

/** Of those that may be dialled. */
export const linkTargets = (config: DialConfig, drones: readonly Parameters<typeof linkTarget>[1][]) =>
  drones.flatMap((drone): LinkTarget[] => {
    try {
      return [linkTarget(config, drone)];
    } catch {
      return [];
    }
  });

/**
 * Why a simulated drone may not be dialled there, or undefined when it may. A user who names a host and a port makes
 * the gateway connect to it from inside the cluster. Outside a laptop only the operator's simulators are allowed: any port
 * of the listed hosts, and where none is listed the ports of the simulator beside the gateway.
 */
export function refusesSimulator(
  config: DialConfig,
  { link_host, port }: Pick<Drone, "link_host" | "port">,
): string | undefined {
  if (config.DEPLOYMENT === "local") return undefined;
  const host = (link_host ?? ownSimulatorHost(config)).toLowerCase();
  if (config.SIMULATOR_HOSTS.some((listed) => listed.toLowerCase() === host)) return undefined;
  if (isOwnVehicle(config, { link_host, port })) return undefined;
  return link_host
    ? `link_host ${link_host} with port ${port} is not one of this service's simulators; leave link_host and port out, or ask the operator to list the host in SIMULATOR_HOSTS.`
    : `Port ${port} is not this service's simulator; leave port out, or ask the operator to list its host in SIMULATOR_HOSTS.`;
}

/** Host of the service's own simulator, which runs beside the gateway where no other is listed. */
export const ownSimulatorHost = ({ SIMULATOR_HOSTS: [first] }: Pick<DialConfig, "SIMULATOR_HOSTS">): string =>
  first ?? "127.0.0.1";

/** Whether it is a vehicle of the service's own simulator that is dialled there. */
export function isOwnVehicle(
  config: DialConfig,
  { link_host, port }: Pick<Drone, "link_host" | "port">,
): boolean {
  const own = ownSimulatorHost(config);
  const { first } = simulatedPorts(config, "copter");
  const { last } = simulatedPorts(config, "rover");
  return (link_host ?? own).toLowerCase() === own.toLowerCase() && port >= first && port <= last;
}

/** Ports of the service's own simulator for vehicles of a type, both ends included. */
export function simulatedPorts(
  config: DialConfig,
  type: Drone["vehicle_type"],
): { readonly first: number; readonly last: number } {
  const { SIMULATOR_PORT: first, SIMULATOR_COPTERS: copters, SIMULATOR_ROVERS: rovers } = config;
  const last = first + Math.max(1, copters + rovers) - 1;
  if (type === "rover" && rovers > 0) return { first: first + copters, last };
  return { first, last: copters > 0 ? first + copters - 1 : last };
}
