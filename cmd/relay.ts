import { loadConfig, relayConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/process/lifecycle";
import { startRelay } from "../src/relay";

runProcess(async () => {
  const { lifecycle, log } = await startRelay(loadConfig(relayConfig));
  stopOnSignals(lifecycle, log);
});
