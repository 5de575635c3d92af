import { ApiError } from "../../client/api-error";
import { strings } from "../strings";

/** What a failed request tells the user: the API's own words, or that there was no answer. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  // What `fetch` throws when there is no connection.
  if (error instanceof TypeError) return strings.errors.unreachable;
  return strings.errors.unexpected;
}
