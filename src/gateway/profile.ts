import type { GatewayConfig } from "../platform/config";
import type { Logger } from "../platform/log";

type Access = Pick<GatewayConfig, "ACCESS_PROFILE" | "DEPLOYMENT" | "HOST">;

const relaxedRules = [
  "any signed-in user may watch any drone's telemetry",
  "a drone's address is believed from any caller's headers",
  "a logout holds in this process only, and not for sockets",
] as const;

const loopback = /^(127\.|::1$|localhost$)/;

/** The contract profile trusts its callers, so it stays on loopback unless the operator says "local". */
export function refuseUnsafeListening({ ACCESS_PROFILE, DEPLOYMENT, HOST }: Access): void {
  if (ACCESS_PROFILE === "contract" && DEPLOYMENT !== "local" && !loopback.test(HOST)) {
    throw new Error(
      `ACCESS_PROFILE=contract may not listen on ${HOST}: use ACCESS_PROFILE=strict, or DEPLOYMENT=local on a laptop.`,
    );
  }
}

/** One line for each rule that the profile relaxes, so that nobody runs it unknowingly. */
export function warnOfRelaxedRules({ ACCESS_PROFILE }: Access, log: Logger): void {
  if (ACCESS_PROFILE !== "contract") return;
  for (const rule of relaxedRules) log.warn({ rule }, "ACCESS_PROFILE=contract relaxes a rule");
}
