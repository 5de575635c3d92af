import { setTimeout as pause } from "node:timers/promises";
import { startGateway } from "../../src/gateway";
import { gatewayConfig, loadConfig } from "../../src/platform/config";
import { answer, ownFigures } from "../relay/child";
import { hostOf } from "../telemetry/vehicles";

/** The gateway as it is shipped, with its background jobs. */
const started = startGateway(loadConfig(gatewayConfig));

async function allOpen(count: number): Promise<boolean> {
  const { registry } = (await started).deps;
  const open = async () => Number(/^fleet_links_open\S* (\d+)/m.exec(await registry.metrics())?.[1] ?? 0);
  while ((await open()) < count) await pause(10);
  return true;
}

answer({
  port: async () => Number(new URL((await started).url).port),
  /** Opens the links of so many vehicles, and keeps them. Returns the milliseconds until the last was open. */
  hold: async (vehiclesPort: number, count: number) => {
    const { links } = (await started).deps;
    const began = performance.now();
    const targets = Array.from({ length: count }, (_, index) => ({
      ...{ key: `drone:${index + 1}`, host: hostOf(index + 1), port: vehiclesPort },
      via: "direct" as const,
    }));
    await links.hold(targets);
    await allOpen(count);
    return performance.now() - began;
  },
  /** Resolves when so many links are open. */
  allOpen,
  ...ownFigures,
});
