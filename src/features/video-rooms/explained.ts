import { DomainError, isDomainError } from "../../domain/errors";
import { JanusError, WRONG_SECRET } from "../../platform/janus";

/** A failed call of the media server in words for the caller. `signal` is the one that limited the call. */
export function explained(error: unknown, signal: AbortSignal): unknown {
  const said = (message: string) => new DomainError("video_room_failed", message, { cause: error });
  if (isDomainError(error)) return error;
  if (error instanceof JanusError) {
    return error.code === WRONG_SECRET
      ? said("The media server has a room of this number that is not ours to use; end it there.")
      : said(`The media server refused: ${error.reason}.`);
  }
  if (signal.aborted) return said("The media server did not answer in time.");
  // fetch says nothing more of a connection that failed, or the answer was not Janus's.
  const { name } = error as Error;
  if (name === "TypeError") return said("The media server cannot be reached.");
  if (name === "SyntaxError" || name === "ZodError") return said("The server at JANUS_URL is not Janus.");
  return error;
}
