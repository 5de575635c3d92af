/** Close codes a client may see beside WebSocket's own (1007 for invalid UTF-8, 1009 for a frame too big). */
export const closeCodes = {
  binaryFrame: 1003,
  /** The relay stops; another replica, or this one in a moment, takes the session. */
  restarting: 1012,
  /** A neighbour (Redis, Postgres, the drone's own socket) does not serve; try again. */
  tryLater: 1013,
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
} as const;
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/** Why a session is not opened, or may not go on. The message is public: it is the close frame's reason. */
export class Refusal extends Error {
  constructor(
    readonly code: CloseCode,
    message: string,
    /** A text frame that goes before the close. */
    readonly text?: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = "Refusal";
  }
}

/** The contract's two: clients treat the text as final. */
export const lookupFailed = (text: "Drone not found" | "Drone IP not found") =>
  new Refusal(closeCodes.notFound, text, text);
