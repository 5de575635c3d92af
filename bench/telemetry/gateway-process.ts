import { createLogger } from "../../src/platform/process/log";
import { createMetrics } from "../../src/platform/process/metrics";
import { startTelemetryServer } from "../../src/testing/fakes/telemetry-server";
import { createLinkPool } from "../../src/vehicle";
import { answer, ownFigures } from "../relay/child";
import { hostOf } from "./vehicles";

/** The gateway's own telemetry: vehicles' bytes in, watchers' sockets out. Every drone is the field's. */
const registry = createMetrics("bench");
const links = createLinkPool({ mavlink: { systemId: 245 } });
const log = createLogger("bench", "warn");

answer({
  listen: (port: number) => {
    const find = async (_user: number, drone: number) =>
      ({ key: `drone:${drone}`, host: hostOf(drone), port, via: "direct" }) as const;
    return startTelemetryServer({ links, find, log, registry }, 10);
  },
  /** Here the vehicles decide what is sent. */
  fly: () => true,
  drops: async () =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith("fleet_telemetry_drops_total{")),
  ...ownFigures,
});
