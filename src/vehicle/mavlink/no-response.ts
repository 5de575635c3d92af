import { DomainError, isDomainError } from "../../domain/errors";

/** The link ended or the vehicle did not answer: nothing is known of what the vehicle did. */
export const isNoResponse = (error: unknown): error is DomainError =>
  isDomainError(error) && (error.code === "vehicle_unreachable" || error.code === "vehicle_timeout");

/** An order that was sent may still be on its way, on a link that may still be there. */
export const isUnsettled = (error: unknown): boolean =>
  isDomainError(error) && (error.code === "outcome_unknown" || error.code === "vehicle_timeout");

/** Something was sent, and its outcome is unknown. `message` says what was sent, and why the outcome is unknown. */
export const outcomeUnknown = (message: string, cause?: unknown): DomainError =>
  new DomainError("outcome_unknown", `${message} Look at the vehicle before you try again.`, { cause });

/** For an order that was sent and not answered. `action` completes "The order to …". */
export const orderUnanswered = (action: string, noResponse: DomainError): DomainError =>
  outcomeUnknown(
    `The order to ${action} was sent, and the vehicle may have obeyed or not. ${noResponse.message}`,
    noResponse,
  );

/**
 * For an order that was not sent, because the order before it was not answered. `action` and `first` complete "The
 * order to …".
 */
export const notSentAfter = (action: string, first: string, unknown: DomainError): DomainError => {
  const noResponse = isNoResponse(unknown.cause) ? unknown.cause : unknown;
  return new DomainError(
    noResponse.code,
    `The order to ${action} was not sent. The order to ${first} was sent before, and the vehicle may have obeyed it or not. ${noResponse.message}`,
    { cause: unknown },
  );
};
