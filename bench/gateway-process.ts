import { startGateway } from "../src/gateway";
import { gatewayConfig, loadConfig } from "../src/platform/config";
import { orderQuotaKey } from "../src/platform/quotas/quotas";
import { answer, ownFigures } from "./relay/child";

/** The gateway as it is shipped, with its background jobs. */
const started = startGateway(loadConfig(gatewayConfig));

answer({
  url: async () => (await started).url,
  /** Uses the quota of orders so many times. */
  countOrders: async (times: number) => {
    const { quotas } = (await started).deps;
    for (let at = 0; at < times; at++) await quotas.take("orders", orderQuotaKey(0, 0));
  },
  ...ownFigures,
});
