import { startWorker } from "../src/gateway/worker/index";
import { loadConfig, workerConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/process/lifecycle";

runProcess(async () => {
  const { lifecycle, log } = await startWorker(loadConfig(workerConfig));
  stopOnSignals(lifecycle, log);
});
