import { type CloseCode, closeCodes, type lookupFailures } from "../domain/relay-sockets";

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
export const lookupFailed = (text: (typeof lookupFailures)[number]) =>
  new CloseError(closeCodes.notFound, text, text);
