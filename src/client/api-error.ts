/** A reply that says that the request failed, of either envelope. The message is the gateway's, with a vehicle's own words. */
export class ApiError extends Error {
  constructor(
    /** Of HTTP. `GET /missions` answers some failures with 200. */
    readonly status: number,
    /** Of the envelope `{success, error: {code}}`; the status elsewhere. */
    readonly code: number,
    message: string,
    /** Seconds to wait before the next try; of 429 and 503. */
    readonly retryAfter?: number,
    /** The drone may have carried out the order or not. So it is, too, when somebody on the way answered for the gateway. */
    readonly outcomeUnknown = false,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The error of a reply; undefined for a success. */
export function errorOf(response: Response, body: unknown): ApiError | undefined {
  if (response.ok && !isFailedList(response, body)) return undefined;
  // A failed login wraps its error in an array.
  const { error, message }: Partial<Failure> = Array.isArray(body) ? body[0] : (body ?? {});
  const { code = response.status, message: words } = typeof error === "object" ? error : { message: error };
  const said = words ?? message;
  const retryAfter = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ApiError(
    response.status,
    code,
    said ?? (response.statusText || `HTTP ${response.status}`),
    Number.isNaN(retryAfter) ? undefined : retryAfter,
    said === undefined || response.headers.get("X-Outcome") === "unknown",
  );
}

/** `GET /missions` answers `{error}` in place of its list. */
const isFailedList = ({ url }: Response, body: unknown): boolean =>
  new URL(url).pathname.endsWith("/missions") && !Array.isArray(body);

interface Failure {
  readonly error: string | { readonly code?: number; readonly message?: string };
  readonly message: string;
}
