import { DomainError, isDomainError } from "../../domain/errors";

/** The link ended or the vehicle did not answer: it says nothing of what the vehicle did. */
export const isSilence = (error: unknown): error is DomainError =>
  isDomainError(error) && (error.code === "vehicle_unreachable" || error.code === "vehicle_timeout");

/** An order that was sent may still be on its way, on a link that may still be there. */
export const isUnsettled = (error: unknown): boolean =>
  isDomainError(error) && (error.code === "outcome_unknown" || error.code === "vehicle_timeout");

/** Something was sent, and nobody knows what came of it. `told` says what, and why not. */
export const outcomeUnknown = (told: string, cause?: unknown): DomainError =>
  new DomainError("outcome_unknown", `${told} Look at the vehicle before you try again.`, { cause });

/** For an order whose answer never came. `doing` completes "The order to …". */
export const mayHaveObeyed = (doing: string, silence: DomainError): DomainError =>
  outcomeUnknown(
    `The order to ${doing} was sent, and the vehicle may have obeyed or not. ${silence.message}`,
    silence,
  );

/**
 * For an order that waited for another one, whose answer never came: this one was surely not sent. `doing` and
 * `first` complete "The order to …".
 */
export const notSentAfter = (doing: string, first: string, unknown: DomainError): DomainError => {
  const silence = isSilence(unknown.cause) ? unknown.cause : unknown;
  return new DomainError(
    silence.code,
    `The order to ${doing} was not sent. Before it came the order to ${first}, which the vehicle may have obeyed or not. ${silence.message}`,
    { cause: unknown },
  );
};
