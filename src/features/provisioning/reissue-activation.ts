import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { activationToken } from "../drones";
import { replaceActivationToken } from "./activation.store";

/** A new activation token for a drone, in place of one that was used or lost. Rejects with `not_found`. */
export async function reissueActivation(db: Db, droneId: number): Promise<string> {
  const token = activationToken();
  if (await replaceActivationToken(db, droneId, token)) return token;
  throw new DomainError("not_found", `No physical drone has the id ${droneId}.`);
}
