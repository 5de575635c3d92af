/**
 * An error that a caller may see. The code is contract, the message is public and says what to do,
 * the cause is private and goes to the log only. HTTP statuses are decided in `http/errors.ts` and at the
 * route, never here.
 */
export class DomainError extends Error {
  /** When it may go better. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.name = "DomainError";
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** Every code that can reach a caller. A new one needs a status in `http/errors.ts`. */
export type ErrorCode =
  // requests
  | "invalid_input"
  | "malformed_body"
  | "body_too_large"
  | "unsupported_media_type"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "changed_meanwhile"
  | "too_many_requests"
  | "overloaded"
  // callers
  | "unauthenticated"
  | "invalid_credentials"
  | "forbidden"
  | "registration_disabled"
  // accounts
  | "user_exists"
  | "no_such_user"
  | "password_not_updated"
  | "level_missing"
  // plans
  | "constraint_violated"
  | "still_referenced"
  // drones
  | "vehicle_limit"
  | "connection_failed"
  // the vpn
  | "no_vpn_address"
  | "activation_failed"
  // payments
  | "billing_not_configured"
  | "billing_refused"
  | "payment_provider_failed"
  // video
  | "video_room_failed"
  // the simulation instance
  | "simulation_refused"
  // vehicles
  | "vehicle_unreachable"
  | "vehicle_refused"
  | "vehicle_timeout"
  | "outcome_unknown"
  | "transfer_failed"
  | "not_supported"
  // infrastructure
  | "address_pool_exhausted"
  | "unavailable"
  | "internal";

export const isDomainError = (error: unknown): error is DomainError => error instanceof DomainError;
