import { setTimeout as pause } from "node:timers/promises";
import { FlightRecorder } from "../../src/features/flight-recorder";
import { gatewayConfig, loadConfig } from "../../src/platform/config";
import { ObjectStore } from "../../src/platform/objects/object-store";
import { openDatabase } from "../../src/platform/postgres/db";
import { createLogger } from "../../src/platform/process/log";
import { createMetrics } from "../../src/platform/process/metrics";
import { createLinkPool } from "../../src/vehicle";
import { answer, ownFigures } from "../relay/child";
import { hostOf } from "../telemetry/vehicles";

const registry = createMetrics("bench");

/** A gateway's links, watched by nobody, with or without the recorder of the gateway. */
answer({
  open: async (port: number, links: number, isRecorded: boolean) => {
    const config = loadConfig(gatewayConfig, process.env);
    const log = createLogger("bench", "warn");
    const db = openDatabase(config.DATABASE_URL, { poolMax: 10, name: "fleet-bench" });
    const store = new ObjectStore(config);
    const recorder = isRecorded ? new FlightRecorder({ config, db, store, log, registry }) : undefined;
    const pool = createLinkPool({ mavlink: { systemId: 245 }, tap: recorder?.tap });
    recorder?.start({ hold: async () => {} });
    for (let drone = 1; drone <= links; drone++) {
      const target = { key: `drone:${drone}`, host: hostOf(drone), port, via: "direct" } as const;
      pool.subscribe(target, { onMessage() {} });
    }
    while (pool.size < links) await pause(50);
    return pool.size;
  },
  written: async () => Number(/^fleet_record_bytes_total\S* (\d+)/m.exec(await registry.metrics())?.[1] ?? 0),
  ...ownFigures,
});
