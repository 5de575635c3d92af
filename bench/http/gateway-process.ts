import { startGateway } from "../../src/gateway";
import { gatewayConfig, loadConfig } from "../../src/platform/config";
import { reportToParent } from "./child";

/** The gateway as it is shipped, its request log included. */
void startGateway(loadConfig(gatewayConfig)).then(({ url }) => reportToParent(`${url}/api/v1`));
