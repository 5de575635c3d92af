import { DomainError } from "../domain/errors";

/** Deeper than anything that a route takes. */
const MAX_DEPTH = 32;
/** Ten for each of ten thousand points. Reading and refusing more would take its time from everybody. */
const MAX_VALUES = 100_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map(
  (char) => char.charCodeAt(0),
);

/**
 * A request's body as JSON; `{}` where there is none. What is no object or array throws `malformed_body`, what is of
 * too many values `body_too_large`.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  measure(bytes);
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw malformed("is not a JSON object or array", cause);
  }
  if (typeof body !== "object" || body === null) throw malformed("is not a JSON object or array");
  return body;
}

/** Counts before anything is built: a megabyte of brackets costs a thousand times its reading. */
function measure(bytes: Buffer): void {
  let [depth, values, quoted] = [0, 1, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) throw malformed("is nested too deeply");
    if (values > MAX_VALUES) throw tooLarge("holds too many values");
  }
}

const malformed = (fault: string, cause?: unknown) =>
  new DomainError("malformed_body", `The request body ${fault}.`, { cause });
const tooLarge = (fault: string) => new DomainError("body_too_large", `The request body ${fault}.`);
