import { loadConfig, tunnelConfig, tunnelGuardConfig, tunnelUserspaceConfig } from "../src/platform/config";
import { runProcess, stopOnSignals } from "../src/platform/process/lifecycle";
import { startLeaseGuard } from "../src/tunnel/ha/lease-guard";
import { setProcessPriority } from "../src/tunnel/os/priority";

/** Most of the program, which the guard is up without: late is as bad as never. */
const daemon = () => require("../src/tunnel") as typeof import("../src/tunnel");

/**
 * `tunnel` runs the daemon; `tunnel --userspace` runs wireguard-go for it, in a container of its own;
 * `tunnel --guard [PID]` takes the planes down when a hub's lease has run out, for the daemon of that id or whichever
 * there is; `tunnel --teardown` takes interfaces and firewall off the node.
 */
runProcess(async () => {
  if (process.argv.includes("--teardown")) {
    const { teardown } = daemon();
    const removed = await teardown();
    process.stdout.write(`${removed.map((name) => `removed ${name}\n`).join("") || "nothing to remove\n"}`);
    return;
  }
  if (process.argv.includes("--userspace")) {
    const { startUserspace } = daemon();
    const { lifecycle, log } = await startUserspace(loadConfig(tunnelUserspaceConfig));
    stopOnSignals(lifecycle, log);
    return;
  }
  const guarding = process.argv.indexOf("--guard");
  if (guarding > 0) {
    const pid = process.argv[guarding + 1];
    setProcessPriority(process.pid, -10);
    const { lifecycle, log } = startLeaseGuard(loadConfig(tunnelGuardConfig), pid ? Number(pid) : undefined);
    stopOnSignals(lifecycle, log);
    return;
  }
  // Revoked users lose access at once, also on a busy node.
  setProcessPriority(process.pid, -5);
  const guard = [process.execPath, ...process.execArgv, __filename, "--guard", String(process.pid)];
  const { startTunnel } = daemon();
  const { lifecycle, log } = await startTunnel(loadConfig(tunnelConfig), { guard });
  stopOnSignals(lifecycle, log);
});
