const statuses = {
  malformed: 400,
  unauthenticated: 401,
  not_allowed: 403,
  fence_required: 428,
  fence_unverified: 503,
  deposed: 409,
  too_many: 503,
  stopping: 503,
  standby: 503,
  unreachable: 502,
  timeout: 504,
} as const;

/** Why a pipe is refused; a label of the metrics and `reason` of the reply. */
type PipeErrorReason = keyof typeof statuses;

/** The message is public: it is the reply's `error`. */
export class PipeError extends Error {
  readonly status: number;

  constructor(
    readonly reason: PipeErrorReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = "PipeError";
    this.status = statuses[reason];
  }
}
