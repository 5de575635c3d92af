import type { Middleware } from "koa";
import helmet from "koa-helmet";

/**
 * Security headers of every reply. The ingress decides about TLS: without TLS, a page that upgrades its own scripts to
 * https could not load them.
 */
export const securityHeaders = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
}) as unknown as Middleware;

/** The ones that replies outside Koa need, which no page shows. */
export const plainSecurityHeaders = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "SAMEORIGIN",
  "Referrer-Policy": "no-referrer",
} as const;
