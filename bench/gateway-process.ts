import { startGateway } from "../src/gateway";
import { gatewayConfig, loadConfig } from "../src/platform/config";
import { Quotas } from "../src/platform/quotas/quotas";
import { answer, ownFigures } from "./relay/child";

/** The gateway as it is shipped, with its background jobs. */
const started = startGateway(loadConfig(gatewayConfig));

answer({
  url: async () => (await started).url,
  /** Switches rates off and on again, so that both ways are measured in one process. */
  countRates: async (on: boolean) => {
    const { quotas } = (await started).deps;
    quotas.take = on ? Quotas.prototype.take : async () => undefined;
  },
  ...ownFigures,
});
