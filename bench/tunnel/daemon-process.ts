import { loadConfig, tunnelConfig } from "../../src/platform/config";
import { startTunnel } from "../../src/tunnel";
import type { Os } from "../../src/tunnel/os/os";
import { setProcessPriority } from "../../src/tunnel/os/priority";
import { ShellPool } from "../../src/tunnel/os/shell-pool";
import { answer, ownFigures } from "../relay/child";
import { treeCpuSeconds } from "./tree-cpu";

/** The tunnel service as it is shipped, its commands carried out in the hub's namespace. */
const machine = new ShellPool(JSON.parse(process.env.HUB_PREFIX ?? "[]"));
const doneAt = new Map<string, number>();
const os: Os = {
  run: async (command, options) => {
    const said = await machine.run(command, options);
    if (command[0] === "wg" && command[1] === "set") {
      for (const word of command) if (word.length === 44) doneAt.set(word, Date.now());
    }
    return said;
  },
};

// As the entrypoint does.
setProcessPriority(process.pid, -5);
const started = startTunnel(loadConfig(tunnelConfig), { dataPlane: { os, dataplane: "auto" } });

answer({
  ready: async () => {
    const { lifecycle } = await started;
    return lifecycle.state === "ready";
  },
  metric: async (name: string) => {
    const text = await (await fetch(`${(await started).url}/metrics`)).text();
    return text
      .split("\n")
      .filter((line) => line.startsWith(name))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  },
  /** When the last `wg set` that named the peer had ended; 0 before. */
  setAt: (publicKey: string) => doneAt.get(publicKey) ?? 0,
  /** Its own, and that of every command it ran; wireguard-go's is counted by itself. */
  treeCpuSeconds: () => treeCpuSeconds(process.pid, "wireguard-go"),
  ...ownFigures,
});
