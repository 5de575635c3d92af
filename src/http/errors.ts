import { DomainError, type ErrorCode, isDomainError } from "../domain/errors";
import { explainStoreError } from "../platform/objects/errors";
import { explainDatabaseError } from "../platform/postgres/errors";
import type { Route } from "./route";

/** The one place where a code becomes an HTTP status; a route's `errors` are the contract's exceptions. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_input: 400,
  malformed_body: 400,
  body_too_large: 413,
  unsupported_media_type: 415,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  changed_meanwhile: 412,
  too_many_requests: 429,
  overloaded: 503,
  unauthenticated: 401,
  invalid_credentials: 401,
  forbidden: 403,
  registration_disabled: 403,
  user_exists: 400,
  no_such_user: 400,
  password_not_updated: 500,
  level_missing: 500,
  constraint_violated: 500,
  still_referenced: 400,
  vehicle_limit: 402,
  connection_failed: 400,
  no_vpn_address: 400,
  activation_failed: 406,
  billing_not_configured: 400,
  billing_refused: 400,
  payment_provider_failed: 500,
  video_room_failed: 400,
  simulation_refused: 400,
  vehicle_unreachable: 500,
  vehicle_refused: 500,
  vehicle_timeout: 500,
  outcome_unknown: 500,
  transfer_failed: 500,
  not_supported: 500,
  address_pool_exhausted: 500,
  unavailable: 500,
  internal: 500,
};

/** Anything thrown, as an error whose message may be sent to the client. */
export function toDomainError(error: unknown): DomainError {
  if (isDomainError(error)) return error;
  // A connection that the store refused has the same code as one that the database refused.
  const explained = explainStoreError(error) ?? explainDatabaseError(error) ?? explainHttpError(error);
  return (
    explained ??
    new DomainError("internal", "Something went wrong on our side.", {
      cause: error,
    })
  );
}

/** Errors of koa and koa-jwt, with messages of ours that say what to do. */
function explainHttpError(error: unknown): DomainError | undefined {
  const { status } = error as { status?: number };
  const explained = (code: ErrorCode, message: string) => new DomainError(code, message, { cause: error });
  if (status === 401) return explained("unauthenticated", "A valid token is required.");
  if (status === 415) return explained("unsupported_media_type", "Send the body as application/json.");
  if (status === 400) return explained("malformed_body", "The request body is not a JSON object or array.");
  return undefined;
}

/** UTF-16 units. A message may quote the client's input, such as ten thousand unknown fields. */
const MAX_MESSAGE_LENGTH = 2_000;

export interface ErrorReply {
  readonly status: number;
  readonly body: unknown;
}

/** The reply for an error at a route, or outside any route when no route is given. */
export function errorReply(
  error: DomainError,
  at: Pick<Route, "envelope" | "errors" | "errorBodies">,
): ErrorReply {
  const status = at.errors?.[error.code] ?? statuses[error.code];
  const message = error.message.slice(0, MAX_MESSAGE_LENGTH);
  const customBody = at.errorBodies?.[error.code];
  if (customBody) return { status, body: customBody(message, status) };
  if (at.envelope === "A" || at.envelope === "A+top") {
    return {
      status,
      body: { success: false, error: { code: status, message } },
    };
  }
  return { status, body: { error: message } };
}
