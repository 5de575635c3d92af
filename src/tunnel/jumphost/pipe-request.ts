import type { IncomingHttpHeaders } from "node:http";
import { PipeError } from "./pipe-error";

/** What a gateway's headers ask for. */
export interface PipeRequest {
  /** A dotted IPv4 address, or the name of a simulator's host. */
  readonly host: string;
  readonly port: number;
  readonly fence: number | undefined;
  /** The link that the fence was given for, by the name under which gateways lease it. */
  readonly link: string | undefined;
}

/** The operator's list says which names are dialled. */
const name = /^[a-z0-9_][a-z0-9._-]{0,252}$/i;
/** Nothing but four octets in decimal: no 0x7f.1, 0177.0.0.1, 2130706433 or ::ffff:127.0.0.1. */
const address = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const wholeNumber = /^[1-9]\d{0,15}$/;
const linkKey = /^[\w:.-]{1,100}$/;

/** Reads `x-drone-ip`, `x-drone-port`, `x-link-fence` and `x-link-key`. Throws a PipeError that names the faulty one. */
export function readPipeRequest(headers: IncomingHttpHeaders): PipeRequest {
  const host = one(headers, "x-drone-ip") ?? "";
  if (!address.test(host) && !name.test(host)) {
    throw new PipeError("malformed", "x-drone-ip must be a dotted IPv4 address or a simulator's host name.");
  }
  const port = number(headers, "x-drone-port", 65_535);
  if (port === undefined) throw new PipeError("malformed", "x-drone-port is missing.");
  const fence = number(headers, "x-link-fence", Number.MAX_SAFE_INTEGER);
  const link = one(headers, "x-link-key");
  if (link !== undefined && !linkKey.test(link)) {
    throw new PipeError("malformed", "x-link-key must be the name of a link.");
  }
  return { host: host.toLowerCase(), port, fence, link };
}

export const isAddress = (host: string): boolean => address.test(host);

function number(headers: IncomingHttpHeaders, header: string, most: number): number | undefined {
  const text = one(headers, header);
  if (text === undefined) return undefined;
  const value = wholeNumber.test(text) ? Number(text) : Number.NaN;
  if (value <= most) return value;
  throw new PipeError("malformed", `${header} must be a whole number from 1 to ${most}.`);
}

/** A header that was sent twice arrives joined by a comma, which these headers may not have. */
const one = (headers: IncomingHttpHeaders, header: string): string | undefined => headers[header]?.toString();
