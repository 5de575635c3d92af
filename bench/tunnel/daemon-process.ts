import { readFileSync } from "node:fs";
import { loadConfig, tunnelConfig } from "../../src/platform/config";
import { hasten, startTunnel } from "../../src/tunnel";
import { type Os, realOs } from "../../src/tunnel/os/os";
import { answer, ownFigures } from "../relay/child";

/** The tunnel service as it is shipped, its commands carried out in the hub's namespace. */
const prefix: string[] = JSON.parse(process.env.HUB_PREFIX ?? "[]");
const doneAt = new Map<string, number>();
const os: Os = {
  run: async (command, options) => {
    const said = await realOs.run([...prefix, ...command], options);
    if (command[0] === "wg" && command[1] === "set") {
      for (const word of command) if (word.length === 44) doneAt.set(word, Date.now());
    }
    return said;
  },
  startDetached: (command) => realOs.startDetached([...prefix, ...command]),
};

// As the entrypoint does.
hasten(process.pid, -5);
const started = startTunnel(loadConfig(tunnelConfig), { machine: { os, dataplane: "auto" } });

const TICKS_PER_SECOND = 100;

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
  /** Its own, and that of every command it ran. */
  treeCpuSeconds: () => {
    const [, rest = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
    const [utime, stime, cutime, cstime] = rest.split(" ").slice(11, 15).map(Number) as number[];
    return ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) / TICKS_PER_SECOND;
  },
  ...ownFigures,
});
