export { adminConfig, type PublishComposeConfig, publishComposeConfig, verifyArchiveConfig } from "./admin";
export { configurationDocs, effectiveConfig } from "./docs";
export { type GatewayConfig, gatewayConfig } from "./gateway";
export { ConfigError, type Environment, loadConfig } from "./load";
export { type OnboardConfig, onboardConfig } from "./onboard";
export { configSchemas } from "./processes";
export { quotaLimits } from "./quotas";
export { type RelayConfig, relayConfig } from "./relay";
export { createBucketsConfig, migrateConfig, tunnelRoleConfig } from "./setup";
export { simulatorConfig } from "./simulator";
export {
  type TunnelConfig,
  type TunnelGuardConfig,
  type TunnelUserspaceConfig,
  tunnelConfig,
  tunnelGuardConfig,
  tunnelUserspaceConfig,
} from "./tunnel";
export { type WorkerConfig, workerConfig } from "./worker";
