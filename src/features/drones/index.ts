import type { KeyObject } from "node:crypto";
import type { Route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import type { Services } from "../../platform/services";
import type { VehicleLinks } from "../../vehicle";
import { DroneEvents } from "./drone-events";
import { droneGuard } from "./drone-guard";
import { DroneLinks } from "./drone-links";
import { DroneWatch } from "./drone-watch";
import { droneRoutes } from "./drones.routes";
import { DronesService } from "./drones.service";
import { findDroneByIp } from "./drones.store";
import { linkKey } from "./link-target";

export { droneFor, noSuchDrone } from "./drone-access";
export type { DroneEvents } from "./drone-events";
export { activationToken } from "./drone-tokens";
export type { DroneType } from "./drones.schema";
export {
  countDrones,
  type Drone,
  droneIdsOf,
  dronesOf,
  findDrone,
  findDroneByIp,
  findDrones,
  selectDroneFor,
} from "./drones.store";
export { type DialConfig, droneOf, linkKey, linkTarget, linkTargets } from "./link-target";

interface DronesDeps
  extends Pick<Services, "config" | "db" | "clock" | "log" | "quotas" | "lifecycle" | "changes"> {
  readonly links: Pick<VehicleLinks, "withLink" | "close" | "closeEverywhere">;
  /** Signs the tokens of drones. */
  readonly signingKey: KeyObject;
}

/** Drones, the access to them, and the guard of the routes that drones themselves call. */
export function drones(deps: DronesDeps) {
  const { config, db, log, links } = deps;
  const events = new DroneEvents(log);
  events.onDroneRevoked(({ id }) => links.close(linkKey(id), "the drone was deleted or has another owner"));
  events.onDroneRedirected(({ id }) =>
    links.close(linkKey(id), "the drone has another address, port or VPN key now"),
  );
  const watch = new DroneWatch(db, deps.changes, events, log);
  deps.lifecycle.onClose("drone watch", () => watch.stop());
  const service = new DronesService({ ...deps, watch });
  const routes: readonly Route[] = droneRoutes(service, new DroneLinks(deps));
  const guard: Guard<"drone"> = droneGuard(config, (ip) => findDroneByIp(db, ip));
  return { routes, service, events, guard };
}
