/** Pilots' WebSockets at the relay, each at `/<route>/<drone id>`; in the strict profile for the drone's owner alone. */
export const pilotRoutes = ["redispad", "gamepad"] as const;
export type PilotRoute = (typeof pilotRoutes)[number];

/** Port of the drone's own WebSocket, for `/gamepad`. */
export const DEFAULT_DRONE_PORT = 5001;

/** Beyond it a frame ends its session, in either direction. */
export const MAX_FRAME_BYTES = 65_536;

/** No client sends a stick frame in more fragments; each one retains the packet that it came in. */
export const MAX_FRAGMENTS = 64;

/** Replies to an upgrade that is refused, each with the body `{error}`. */
export const upgradeRefusals = {
  notFound: {
    status: 404,
    error: "There is nothing here.",
    meaning: "Another path, an id that is not an integer, or an impossible port.",
  },
  restarting: {
    status: 503,
    error: "The relay is restarting.",
    meaning: "The relay stops. Connect again in a moment.",
  },
} as const;

/** Close codes of the relay's WebSockets. */
export const closeCodes = {
  protocolError: 1002,
  binaryFrame: 1003,
  invalidText: 1007,
  tooManyFragments: 1008,
  frameTooLarge: 1009,
  /** The client reconnects to another replica, or to this one in a moment. */
  restarting: 1012,
  tryLater: 1013,
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
  tooMany: 4429,
} as const;
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/** When each close code comes, and what the client does then. */
export const closeCodeMeanings: Readonly<
  Record<keyof typeof closeCodes, { readonly meaning: string; readonly client: string }>
> = {
  protocolError: { meaning: "A frame that breaks the WebSocket protocol.", client: "Stop." },
  binaryFrame: { meaning: "A binary frame on `/redispad`.", client: "Send text." },
  invalidText: { meaning: "A text frame that is not UTF-8.", client: "Send UTF-8." },
  tooManyFragments: {
    meaning: `A frame in more than ${MAX_FRAGMENTS} fragments.`,
    client: "Send each frame whole.",
  },
  frameTooLarge: { meaning: `A frame of more than ${MAX_FRAME_BYTES} bytes.`, client: "Send less." },
  restarting: { meaning: "The relay restarts.", client: "Connect again." },
  tryLater: {
    meaning:
      "Redis, Postgres or the drone's own WebSocket does not answer, or the relay has as many sessions as it may (`RELAY_MAX_SESSIONS`). The reason says which.",
    client: "Connect again in a moment.",
  },
  unauthenticated: {
    meaning:
      "Profile `strict`: no valid access token. Also during a session: the token was logged out, or its user has a new password, may not sign in any more or does not exist any more.",
    client: "Log in or refresh the token.",
  },
  forbidden: {
    meaning:
      "Profile `strict`: the drone is another user's. In both profiles: it got another owner during the session.",
    client: "Stop.",
  },
  notFound: {
    meaning:
      "No such drone, or it has no address: the text frame before it says which. Also during a session: the drone was deleted, or its address is another drone's now.",
    client: "Stop.",
  },
  tooMany: {
    meaning: "The drone's owner has as many sessions as the quota `relay_sessions` allows.",
    client: "Close another session.",
  },
};

/** The contract's text frames, each before a close with 4404. */
export const lookupFailures = ["Drone not found", "Drone IP not found"] as const;
