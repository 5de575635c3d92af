/** Why no pipe is opened; a label of the metrics and `reason` of the reply. */
export type RefusalReason =
  | "malformed"
  | "unauthenticated"
  | "not_allowed"
  | "unnumbered"
  | "deposed"
  | "unverified"
  | "too_many_to_vehicle"
  | "too_many"
  | "stopping"
  | "standby"
  | "unreachable"
  | "timeout";

const statuses: Readonly<Record<RefusalReason, number>> = {
  malformed: 400,
  unauthenticated: 401,
  not_allowed: 403,
  unnumbered: 428,
  deposed: 409,
  unverified: 503,
  too_many_to_vehicle: 429,
  too_many: 503,
  stopping: 503,
  standby: 503,
  unreachable: 502,
  timeout: 504,
};

/** The message is public: it is the reply's `error`. */
export class Refusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = "Refusal";
  }
}

/** The HTTP status of the reply. */
export const statusOf = (reason: RefusalReason): number => statuses[reason];
