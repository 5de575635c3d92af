import type { Middleware } from "koa";
import helmet from "koa-helmet";

/**
 * What browsers are protected by, on every reply. Whether they must come by TLS is the ingress's word: without TLS
 * on it, a page that upgrades its own scripts to https could not load them.
 */
export const protectiveHeaders = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
}) as unknown as Middleware;

/** Of these, what a reply that no page shows needs, for servers that are no Koa. */
export const plainProtection = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "SAMEORIGIN",
  "Referrer-Policy": "no-referrer",
} as const;
