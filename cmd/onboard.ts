import { startOnboard } from "../src/onboard";
import { loadConfig, onboardConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/process/lifecycle";

runProcess(async () => {
  const { lifecycle, log } = await startOnboard(loadConfig(onboardConfig));
  stopOnSignals(lifecycle, log);
});
