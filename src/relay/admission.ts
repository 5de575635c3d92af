import { may } from "../domain/access";
import type { Blocklist, SignedIn, Tokens } from "../features/accounts";
import type { Db } from "../platform/db";
import { closeCodes, lookupFailed, Refusal } from "./close";
import { type BoundDrone, findBoundDrone } from "./drones.store";
import type { Pilot } from "./pilot";

/** How the strict profile tells callers apart; undefined in the contract profile, which reads no token. */
export type Credentials =
  | {
      readonly tokens: Tokens;
      readonly blocklist: Pick<Blocklist, "has">;
      readonly signedIn: Pick<SignedIn, "add">;
    }
  | undefined;
type Known = NonNullable<Credentials>;

export type DroneWithAddress = BoundDrone & { readonly ip: string };

/**
 * The drone that this caller may steer; a pilot whose token is logged out from now on is refused. Rejects with a Refusal: 4401 without a valid access token, 4403 for
 * another's drone, 4404 after the contract's text when there is no such drone or it has no address, 1013 when
 * nobody can tell now.
 */
export async function admit(
  db: Db,
  credentials: Credentials,
  droneId: number,
  token: string | undefined,
  pilot: Pick<Pilot, "onEnd" | "refuse">,
): Promise<DroneWithAddress> {
  const bearer = credentials && bearerOf(credentials, token);
  if (bearer) {
    // Before the list is asked, so that no log-out falls between the two.
    pilot.onEnd(credentials.signedIn.add(bearer.jti, () => pilot.refuse(loggedOut())));
    await refuseLoggedOut(credentials, bearer.jti);
  }
  const userId = bearer?.id;
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
export async function userOf(credentials: Known, token: string | undefined): Promise<number> {
  const { id, jti } = bearerOf(credentials, token);
  await refuseLoggedOut(credentials, jti);
  return id;
}

function bearerOf({ tokens }: Known, token: string | undefined): { id: number; jti: string } {
  const bearer = tokens.userOf(token ?? "");
  if (!bearer) throw new Refusal(closeCodes.unauthenticated, "A valid access token is required.");
  return bearer;
}

async function refuseLoggedOut({ blocklist }: Known, jti: string): Promise<void> {
  let listed: boolean;
  try {
    listed = await blocklist.has(jti);
  } catch (cause) {
    throw cannotTell("The token cannot be checked now", cause);
  }
  if (listed) throw loggedOut();
}

const loggedOut = () => new Refusal(closeCodes.unauthenticated, "The token was logged out; log in again.");

const cannotTell = (what: string, cause: unknown) =>
  new Refusal(closeCodes.tryLater, `${what}; connect again in a moment.`, undefined, { cause });
