import { startGateway } from "../src/gateway";
import { gatewayConfig, loadConfig } from "../src/platform/config";
import { answer, ownFigures } from "./relay/child";

/** The gateway as it is shipped, with its background jobs. */
const started = startGateway(loadConfig(gatewayConfig));

answer({ url: async () => (await started).url, ...ownFigures });
