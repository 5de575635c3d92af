import type { Context } from "koa";
import koaBody from "koa-body";
import { DomainError } from "../domain/errors";
import type { Route } from "./route";

/** Deeper than anything that a route takes. */
const MAX_DEPTH = 32;
/** Parsing and refusing more would delay every other request. */
const MAX_VALUES = 100_000;
/** One character a byte: `Buffer.from(text, BYTES)` is the body exactly as it came. */
const BYTES = "binary";

type BodyReader = (ctx: Context) => Promise<Buffer>;

const readers = new Map<number, BodyReader>();

/** The body as bytes, read by koa-body up to this many. Rejects with `body_too_large` or `malformed_body`. */
function readerFor(limitBytes: number): BodyReader {
  const known = readers.get(limitBytes);
  if (known) return known;
  const parse = koaBody({
    text: true,
    textTypes: ["*/*"],
    textLimit: limitBytes,
    encoding: BYTES,
    ...{ json: false, urlencoded: false, multipart: false, patchNode: false },
    parsedMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"] as never,
  });
  const reader: BodyReader = async (ctx) => {
    try {
      await parse(ctx, async () => {});
    } catch (cause) {
      // Read and drop the rest, so that the client gets the answer and the connection stays usable.
      ctx.req.resume();
      if ((cause as { status?: number }).status === 413)
        throw new DomainError("body_too_large", "The request body is too large.", { cause });
      throw new DomainError("malformed_body", "The request body was not received completely.", { cause });
    }
    const { body } = ctx.request as { body?: unknown };
    return Buffer.from(typeof body === "string" ? body : "", BYTES);
  };
  readers.set(limitBytes, reader);
  return reader;
}

/** The bytes of a route's body: of any type where the route declares `rawBody`, of JSON otherwise. */
export function readBody(ctx: Context, route: Route, limitBytes: number): Promise<Buffer> {
  if (!route.rawBody) checkType(ctx);
  // koa-body reads nothing without a type.
  else ctx.req.headers["content-type"] ??= "application/octet-stream";
  return readerFor(limitBytes)(ctx);
}

function checkType(ctx: Context): void {
  const hasBody = ctx.request.length !== 0 && ctx.get("transfer-encoding") + ctx.get("content-length") !== "";
  // A small compressed body may be a large one.
  if (ctx.get("content-encoding").replace("identity", "") !== "")
    throw new DomainError("unsupported_media_type", "Send the body uncompressed.");
  if (hasBody && !ctx.is("json"))
    throw new DomainError("unsupported_media_type", "Send the body as application/json.");
}

/** A JSON object or array; `{}` for an empty body. Throws `malformed_body`, or `body_too_large` for too many values. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  checkDepth(bytes);
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw malformed("is not a JSON object or array", cause);
  }
  if (typeof body !== "object" || body === null) throw malformed("is not a JSON object or array");
  return body;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map(
  (char) => char.charCodeAt(0),
);

/** Before parsing: a megabyte of brackets takes a thousand times as long to parse as to scan. */
function checkDepth(bytes: Buffer): void {
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
    if (values > MAX_VALUES)
      throw new DomainError("body_too_large", "The request body holds too many values.");
  }
}

const malformed = (fault: string, cause?: unknown) =>
  new DomainError("malformed_body", `The request body ${fault}.`, { cause });
