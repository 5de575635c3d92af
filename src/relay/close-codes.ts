/** Close codes a client may see beside WebSocket's own (1007 for invalid UTF-8, 1009 for a frame too big). */
export const closeCodes = {
  binaryFrame: 1003,
  /** The relay stops; the client reconnects to another replica, or to this one in a moment. */
  restarting: 1012,
  /** Redis, Postgres or the drone's own socket does not answer, or a limit is reached. */
  tryLater: 1013,
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
  /** A quota is used up. */
  tooMany: 4429,
} as const;
type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/** Closes a session or refuses one. The message is public: it is the close frame's reason. */
export class CloseError extends Error {
  constructor(
    readonly code: CloseCode,
    message: string,
    /** A text frame that is sent before the close frame. */
    readonly text?: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = "CloseError";
  }
}

/** The two texts of the contract, after which clients stop. */
export const lookupFailed = (text: "Drone not found" | "Drone IP not found") =>
  new CloseError(closeCodes.notFound, text, text);
