import type { GatewayConfig } from "../config";
import type { Logger } from "./log";

export type Access = Pick<GatewayConfig, "ACCESS_PROFILE" | "DEPLOYMENT" | "HOST">;

const loopback = /^(127\.|::1$|localhost$)/;

/** The contract profile trusts its callers, so it stays on loopback unless the operator says "local". */
export function refuseUnsafeListening({ ACCESS_PROFILE, DEPLOYMENT, HOST }: Access): void {
  if (ACCESS_PROFILE === "contract" && DEPLOYMENT !== "local" && !loopback.test(HOST)) {
    throw new Error(
      `ACCESS_PROFILE=contract may not listen on ${HOST}: use ACCESS_PROFILE=strict, or DEPLOYMENT=local on a laptop.`,
    );
  }
}

/** Logs a warning for each rule that the contract profile relaxes, so that operators know them. */
export function warnOfRelaxedRules(
  { ACCESS_PROFILE }: Pick<Access, "ACCESS_PROFILE">,
  relaxedRules: readonly string[],
  log: Logger,
): void {
  if (ACCESS_PROFILE !== "contract") return;
  for (const rule of relaxedRules) log.warn({ rule }, "ACCESS_PROFILE=contract relaxes a rule");
}
