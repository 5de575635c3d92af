import { loadConfig, tunnelConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/lifecycle";
import { startTunnel, teardown } from "../src/tunnel";

/** `tunnel` runs the daemon; `tunnel --teardown` takes its interfaces and firewall off the node. */
runProcess(async () => {
  if (process.argv.includes("--teardown")) {
    const removed = await teardown();
    process.stdout.write(`${removed.map((name) => `removed ${name}\n`).join("") || "nothing to remove\n"}`);
    return;
  }
  const { lifecycle, log } = await startTunnel(loadConfig(tunnelConfig));
  stopOnSignals(lifecycle, log);
});
