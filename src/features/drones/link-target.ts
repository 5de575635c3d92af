import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../../platform/config";
import type { LinkTarget } from "../../vehicle/byte-stream";
import type { Drone } from "./drones.store";

export type DialConfig = Pick<
  GatewayConfig,
  "DEPLOYMENT" | "JUMPHOST_URL" | "SIMULATED_LINK_HOST" | "SIMULATED_LINK_PORT" | "SIMULATOR_HOSTS"
>;

/** A drone's key in the link pool. */
export const linkKey = (droneId: number): string => `drone:${droneId}`;

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
  return { key, host: drone.link_host ?? config.SIMULATED_LINK_HOST, port: drone.port, via: "direct" };
}

/**
 * Why a simulated drone may not be dialled there, or undefined when it may. A user who names a host and a port makes
 * the gateway connect to it from inside the cluster. Outside a laptop only the operator's simulators are allowed: the
 * configured one at its port, and any port of the listed hosts.
 */
export function refusesSimulator(
  config: DialConfig,
  { link_host, port }: Pick<Drone, "link_host" | "port">,
): string | undefined {
  if (config.DEPLOYMENT === "local") return undefined;
  const host = (link_host ?? config.SIMULATED_LINK_HOST).toLowerCase();
  if (config.SIMULATOR_HOSTS.some((listed) => listed.toLowerCase() === host)) return undefined;
  if (host === config.SIMULATED_LINK_HOST.toLowerCase() && port === config.SIMULATED_LINK_PORT)
    return undefined;
  return link_host
    ? `link_host ${link_host} with port ${port} is not one of this service's simulators; leave link_host and port out, or ask the operator to list the host in SIMULATOR_HOSTS.`
    : `Port ${port} is not this service's simulator; leave port out, or ask the operator to list its host in SIMULATOR_HOSTS.`;
}
