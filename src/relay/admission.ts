import { may } from "../domain/access";
import type { Blocklist, Tokens } from "../features/accounts";
import type { Db } from "../platform/db";
import { closeCodes, lookupFailed, Refusal } from "./close";
import { type BoundDrone, findBoundDrone } from "./drones.store";

/** How the strict profile tells callers apart; undefined in the contract profile, which reads no token. */
export type Credentials = { readonly tokens: Tokens; readonly blocklist: Pick<Blocklist, "has"> } | undefined;

export type DroneWithAddress = BoundDrone & { readonly ip: string };

/**
 * The drone that this caller may steer. Rejects with a Refusal: 4401 without a valid access token, 4403 for
 * another's drone, 4404 after the contract's text when there is no such drone or it has no address, 1013 when
 * nobody can tell now.
 */
export async function admit(
  db: Db,
  credentials: Credentials,
  droneId: number,
  token: string | undefined,
): Promise<DroneWithAddress> {
  const userId = credentials && (await userOf(credentials, token));
  const drone = await findBoundDrone(db, droneId).catch((cause: unknown) => {
    throw cannotTell("The drone cannot be looked up now", cause);
  });
  if (!drone) throw lookupFailed("Drone not found");
  if (userId !== undefined && !may(userId, "stick", drone)) {
    throw new Refusal(closeCodes.forbidden, "This drone is another user's.");
  }
  if (drone.ip === null) throw lookupFailed("Drone IP not found");
  return { ...drone, ip: drone.ip };
}

/** The user of a valid access token that was not logged out. Rejects with a Refusal, 4401. */
export async function userOf(
  { tokens, blocklist }: NonNullable<Credentials>,
  token: string | undefined,
): Promise<number> {
  const user = tokens.userOf(token ?? "");
  const loggedOut = async (jti: string) => {
    try {
      return await blocklist.has(jti);
    } catch (cause) {
      throw cannotTell("The token cannot be checked now", cause);
    }
  };
  if (!user || (await loggedOut(user.jti))) {
    throw new Refusal(closeCodes.unauthenticated, "A valid access token is required.");
  }
  return user.id;
}

const cannotTell = (what: string, cause: unknown) =>
  new Refusal(closeCodes.tryLater, `${what}; connect again in a moment.`, undefined, { cause });
