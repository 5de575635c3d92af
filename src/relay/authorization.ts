import { may } from "../domain/access";
import { closeCodes } from "../domain/relay-sockets";
import type { Tokens, TokenWatch } from "../features/accounts";
import type { UserCaller } from "../http/route";
import type { Db } from "../platform/postgres/db";
import { CloseError, lookupFailed } from "./close-error";
import { type BoundDrone, findBoundDrone } from "./drones.store";
import type { Pilot } from "./pilot";

/** Authenticates pilots in the strict profile; undefined in the contract profile, which reads no token. */
export type Credentials =
  | {
      readonly tokens: Tokens;
      readonly tokenWatch: Pick<TokenWatch, "add" | "rejection">;
    }
  | undefined;
type Known = NonNullable<Credentials>;

type DroneWithAddress = BoundDrone & { readonly ip: string };

/**
 * The drone, when the pilot may steer it. A later revocation of the token closes the session. Rejects with a CloseError:
 * 4401 without a valid access token, 4403 for another user's drone, 4404 after the contract's text for an unknown drone
 * or one without an address, 1013 while the database cannot answer.
 */
export async function authorize(
  db: Db,
  credentials: Credentials,
  droneId: number,
  token: string | undefined,
  pilot: Pick<Pilot, "onEnd" | "closeWith">,
): Promise<DroneWithAddress> {
  const bearer = credentials && bearerOf(credentials, token);
  if (bearer) {
    // Watched before it is checked, so that a revocation between the two closes the session.
    pilot.onEnd(credentials.tokenWatch.add(bearer, (why) => pilot.closeWith(unauthenticated(why))));
    await refuseRevoked(credentials, bearer);
  }
  const userId = bearer?.id;
  const drone = await findBoundDrone(db, droneId).catch((cause: unknown) => {
    throw unavailable("The drone cannot be looked up now", cause);
  });
  if (!drone) throw lookupFailed("Drone not found");
  if (userId !== undefined && !may(userId, "stick", drone)) {
    throw new CloseError(closeCodes.forbidden, "This drone is another user's.");
  }
  if (drone.ip === null) throw lookupFailed("Drone IP not found");
  return { ...drone, ip: drone.ip };
}

/** The user of a valid access token that was not revoked. Rejects with a CloseError, 4401. */
export async function userOf(credentials: Known, token: string | undefined): Promise<number> {
  const bearer = bearerOf(credentials, token);
  await refuseRevoked(credentials, bearer);
  return bearer.id;
}

function bearerOf({ tokens }: Known, token: string | undefined): UserCaller {
  const bearer = tokens.userOf(token ?? "");
  if (!bearer) throw unauthenticated("A valid access token is required.");
  return bearer;
}

async function refuseRevoked({ tokenWatch }: Known, bearer: UserCaller): Promise<void> {
  const why = await tokenWatch.rejection(bearer).catch((cause: unknown) => {
    throw unavailable("The token cannot be checked now", cause);
  });
  if (why) throw unauthenticated(why);
}

const unauthenticated = (why: string) => new CloseError(closeCodes.unauthenticated, why);

const unavailable = (what: string, cause: unknown) =>
  new CloseError(closeCodes.tryLater, `${what}; connect again in a moment.`, undefined, { cause });
