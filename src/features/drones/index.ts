import type { KeyObject } from "node:crypto";
import type { Route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import type { GatewayConfig } from "../../platform/config";
import type { ChangeListener } from "../../platform/postgres/change-listener";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Quotas } from "../../platform/quotas/quotas";
import type { VehicleLinks } from "../../vehicle";
import { DroneEvents } from "./drone-events";
import { droneGuard } from "./drone-guard";
import { DroneLinks } from "./drone-links";
import { DroneWatch } from "./drone-watch";
import { droneRoutes } from "./drones.routes";
import { DronesService } from "./drones.service";
import { findDroneByIp } from "./drones.store";
import { linkKey } from "./link-target";

export { droneFor } from "./drone-access";
export type { DroneEvents } from "./drone-events";
export { activationToken } from "./drone-tokens";
export {
  countDrones,
  type Drone,
  type DroneType,
  dronesOf,
  findDrone,
  findDroneByIp,
} from "./drones.store";
export { type DialConfig, linkKey, linkTarget } from "./link-target";

interface DronesDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly quotas: Pick<Quotas, "limit">;
  readonly lifecycle: Pick<Lifecycle, "onClose">;
  readonly links: Pick<VehicleLinks, "withLink" | "close" | "closeEverywhere">;
  readonly changes: Pick<ChangeListener, "subscribe">;
  /** Signs the tokens of drones. */
  readonly signingKey: KeyObject;
}

/** Drones, the access to them, and the guard of the routes that drones themselves call. */
export function drones({
  config,
  db,
  clock,
  log,
  quotas,
  lifecycle,
  links,
  changes,
  signingKey,
}: DronesDeps) {
  const events = new DroneEvents(log);
  events.onDroneRevoked(({ id }) => links.close(linkKey(id), "the drone was deleted or has another owner"));
  events.onDroneRedirected(({ id }) =>
    links.close(linkKey(id), "the drone has another address, port or VPN key now"),
  );
  const watch = new DroneWatch(db, changes, events, log);
  lifecycle.onClose("drone watch", () => watch.stop());
  const service = new DronesService({ config, db, clock, quotas, watch, key: signingKey });
  const routes: readonly Route[] = droneRoutes(service, new DroneLinks(db, links, config));
  const guard: Guard<"drone"> = droneGuard(config, (ip) => findDroneByIp(db, ip));
  return { routes, service, events, guard };
}
