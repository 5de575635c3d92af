import { type Capability, may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { type Drone, findDrone } from "./drones.store";

/**
 * The drone, for a user who may do this with it. Rejects with `not_found` otherwise: other users do not learn whether
 * it exists.
 */
export async function droneFor(
  db: Db,
  userId: number,
  capability: Capability,
  droneId: number,
): Promise<Drone> {
  const drone = await findDrone(db, droneId);
  if (!drone || !may(userId, capability, drone)) throw noSuchDrone();
  return drone;
}

export const noSuchDrone = (): DomainError => new DomainError("not_found", "No such drone.");
