export { configurationDocs, effectiveConfig } from "./docs";
export { ConfigError, type Environment, loadConfig } from "./load";
export * from "./schemas";
