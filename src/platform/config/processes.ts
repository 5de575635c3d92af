import type { z } from "zod";
import { adminConfig, publishComposeConfig, verifyArchiveConfig } from "./admin";
import { gatewayConfig } from "./gateway";
import { onboardConfig } from "./onboard";
import { relayConfig } from "./relay";
import { createBucketsConfig, migrateConfig, tunnelRoleConfig } from "./setup";
import { simulatorConfig } from "./simulator";
import { tunnelConfig, tunnelGuardConfig, tunnelUserspaceConfig } from "./tunnel";
import { workerConfig } from "./worker";

/** Every process's schema under the name that `docs/configuration.md` gives it. */
export const configSchemas: Readonly<Record<string, z.ZodObject>> = {
  gateway: gatewayConfig,
  tunnel: tunnelConfig,
  "tunnel --userspace": tunnelUserspaceConfig,
  "tunnel --guard": tunnelGuardConfig,
  relay: relayConfig,
  onboard: onboardConfig,
  worker: workerConfig,
  migrate: migrateConfig,
  admin: adminConfig,
  "admin publish-compose": publishComposeConfig,
  "admin tunnel-role": tunnelRoleConfig,
  "admin create-buckets": createBucketsConfig,
  "admin verify-archive": verifyArchiveConfig,
  simulator: simulatorConfig,
};
