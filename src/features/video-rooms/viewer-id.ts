import type { KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import { z } from "zod";
import type { JanusHandle } from "../../platform/janus";

const AUDIENCE = "video-viewer";

interface Viewing {
  readonly user_id: number;
  readonly drone_id: number;
}

const Claims = z.object({ user_id: z.int(), drone_id: z.int(), session: z.int(), handle: z.int() });

/**
 * Names a viewer's session on the media server, so that any replica finds it: a JWT (HS256). It has no subject and no
 * type, so that no guard accepts it as a user's token. It is no secret: it serves nobody but its user.
 */
export const viewerId = (key: KeyObject, viewing: Viewing, { session, handle }: JanusHandle): string =>
  jwt.sign({ ...viewing, session, handle, aud: AUDIENCE }, key, { algorithm: "HS256" });

/** The session of a viewer of this user and drone, or undefined when the id is no such viewer's. */
export function viewerSession(
  key: KeyObject,
  { user_id, drone_id }: Viewing,
  id: string,
): JanusHandle | undefined {
  try {
    const claims = Claims.parse(jwt.verify(id, key, { algorithms: ["HS256"], audience: AUDIENCE }));
    return claims.user_id === user_id && claims.drone_id === drone_id ? claims : undefined;
  } catch {
    return undefined;
  }
}
