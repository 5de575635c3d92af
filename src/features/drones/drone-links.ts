import type { Capability } from "../../domain/access";
import type { Db } from "../../platform/postgres/db";
import type { Param, VehicleLinks } from "../../vehicle";
import { droneFor } from "./drone-access";
import { type DialConfig, linkKey, linkTarget } from "./link-target";

/** A drone's link and parameters. Rejects with `not_found` for another user's drone. */
export class DroneLinks {
  constructor(
    private readonly db: Db,
    private readonly pool: Pick<VehicleLinks, "withLink" | "close" | "closeEverywhere">,
    private readonly config: DialConfig,
  ) {}

  /** Rejects with `vehicle_unreachable` when the vehicle does not answer in time. */
  async open(userId: number, droneId: number): Promise<void> {
    await this.pool.withLink(await this.target(userId, "view", droneId), async () => {});
  }

  /** Returns whether a link was open. */
  async close(userId: number, droneId: number): Promise<boolean> {
    await droneFor(this.db, userId, "command", droneId);
    return this.pool.closeEverywhere(linkKey(droneId), "closed by its owner");
  }

  async readParams(userId: number, droneId: number, names: string[]): Promise<Param[]> {
    const target = await this.target(userId, "view", droneId);
    return this.pool.withLink(target, (link) => link.readParams(names));
  }

  async pullParams(userId: number, droneId: number): Promise<{ received: number; total: number }> {
    const target = await this.target(userId, "view", droneId);
    return this.pool.withLink(target, (link) => link.pullParams());
  }

  private async target(userId: number, capability: Capability, droneId: number) {
    return linkTarget(this.config, await droneFor(this.db, userId, capability, droneId));
  }
}
