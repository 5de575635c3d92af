import { loadConfig, tunnelConfig, tunnelUserspaceConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/lifecycle";
import { hasten, startTunnel, startUserspace, teardown } from "../src/tunnel";

/**
 * `tunnel` runs the daemon; `tunnel --userspace` runs wireguard-go for it, in a container of its own;
 * `tunnel --teardown` takes interfaces and firewall off the node.
 */
runProcess(async () => {
  if (process.argv.includes("--teardown")) {
    const removed = await teardown();
    process.stdout.write(`${removed.map((name) => `removed ${name}\n`).join("") || "nothing to remove\n"}`);
    return;
  }
  if (process.argv.includes("--userspace")) {
    const { lifecycle, log } = await startUserspace(loadConfig(tunnelUserspaceConfig));
    stopOnSignals(lifecycle, log);
    return;
  }
  // On a busy node too, who may no longer fly is kept out at once.
  hasten(process.pid, -5);
  const { lifecycle, log } = await startTunnel(loadConfig(tunnelConfig));
  stopOnSignals(lifecycle, log);
});
