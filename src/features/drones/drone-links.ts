import type { Services } from "../../platform/services";
import { CLOSED_BY_OWNER, type VehicleCalls, type VehicleLinks } from "../../vehicle";
import { droneFor } from "./drone-access";
import { linkKey, linkTarget } from "./link-target";

interface Deps extends Pick<Services, "config" | "db"> {
  readonly links: Pick<VehicleLinks, "withLink" | "closeEverywhere">;
}

/** The links of drones. Both methods reject with `not_found` for another user's drone. */
export class DroneLinks {
  constructor(private readonly deps: Deps) {}

  /** Runs `use` on the drone's open link. Rejects with `vehicle_unreachable` when the vehicle does not answer in time. */
  async use<T>(userId: number, droneId: number, use: (link: VehicleCalls) => Promise<T>): Promise<T> {
    const { config, db, links } = this.deps;
    return links.withLink(linkTarget(config, await droneFor(db, userId, "view", droneId)), use);
  }

  /** Returns whether a link was open. */
  async close(userId: number, droneId: number): Promise<boolean> {
    await droneFor(this.deps.db, userId, "command", droneId);
    return this.deps.links.closeEverywhere(linkKey(droneId), CLOSED_BY_OWNER);
  }
}
