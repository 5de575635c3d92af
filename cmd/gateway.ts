import { startGateway } from "../src/gateway";
import { gatewayConfig, loadConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/process/lifecycle";

runProcess(async () => {
  const { lifecycle, deps } = await startGateway(loadConfig(gatewayConfig));
  stopOnSignals(lifecycle, deps.log);
});
