import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TelemetrySockets } from "../../src/features/telemetry";
import { createLogger } from "../../src/platform/process/log";
import { createMetrics } from "../../src/platform/process/metrics";
import { createLinkPool } from "../../src/vehicle";
import { answer, ownFigures } from "../relay/child";
import { hostOf } from "./vehicles";

/** The gateway's own telemetry: vehicles' bytes in, watchers' sockets out. Every drone is the field's. */
let vehiclesPort = 0;
const registry = createMetrics("bench");
const links = createLinkPool({ mavlink: { systemId: 245 } });
const sockets = new TelemetrySockets({
  config: {
    TELEMETRY_MAX_HZ: 10,
    TELEMETRY_MAX_SOCKETS: 10_000,
    TELEMETRY_MAX_STREAMS: 500,
    DO_UNSUBSCRIBE: true,
    CORS_ORIGINS: [],
  },
  links,
  sessions: { save: async () => {}, load: async () => undefined, drop: async () => {} },
  quotas: { checkAmount: () => {} },
  userOf: () => ({ id: 1, jti: "1", issuedAt: 0, expiresAt: 600, passwordAt: undefined }),
  find: async (_user, drone) => ({
    key: `drone:${drone}`,
    host: hostOf(drone),
    port: vehiclesPort,
    via: "direct",
  }),
  log: createLogger("bench", "warn"),
  registry,
});
const server = createServer();
sockets.attach(server);

answer({
  listen: (port: number) => {
    vehiclesPort = port;
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    );
  },
  /** Here the vehicles decide what is sent. */
  fly: () => true,
  drops: async () =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith("fleet_telemetry_drops_total{")),
  ...ownFigures,
});
