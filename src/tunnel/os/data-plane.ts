import type { TunnelConfig } from "../../platform/config";
import type { Logger } from "../../platform/process/log";
import { CommandError, type Os, realOs } from "./os";
import { ShellPool } from "./shell-pool";
import { SimulatedOs } from "./simulated-os";

/** The machine whose packets the hub forwards, and which WireGuard makes its new interfaces. */
export interface DataPlane {
  readonly os: Os;
  readonly dataplane: "auto" | "kernel" | "wireguard-go";
}

/**
 * `auto` changes the machine when it can; a laptop without the programs or the privilege gets `dry-run`, and
 * anything else is refused: a hub that only pretends would be worse than none.
 */
export async function chooseDataPlane(
  { TUNNEL_DATAPLANE, DEPLOYMENT }: Pick<TunnelConfig, "TUNNEL_DATAPLANE" | "DEPLOYMENT">,
  log: Logger,
): Promise<DataPlane> {
  if (TUNNEL_DATAPLANE === "dry-run") return dryRun(log, "TUNNEL_DATAPLANE asks for it");
  const lack = await whatIsLacking(realOs);
  if (!lack) return { os: new ShellPool(), dataplane: TUNNEL_DATAPLANE };
  if (TUNNEL_DATAPLANE === "auto" && DEPLOYMENT === "local") return dryRun(log, lack);
  throw new Error(`The tunnel cannot manage this machine: ${lack}.`);
}

function dryRun(log: Logger, why: string): DataPlane {
  log.warn({ why }, "Dry run: commands are logged and change nothing on this machine");
  return { os: new SimulatedOs((command) => log.info({ command }, "Dry run")), dataplane: "auto" };
}

const needed = [
  ["wg", "show", "interfaces"],
  ["ip", "-Version"],
  ["ipset", "list", "-name"],
  ["iptables", "--list", "FORWARD", "--numeric"],
  ["conntrack", "--version"],
] as const;

/** Why the machine cannot be managed; undefined when it can. */
async function whatIsLacking(os: Os): Promise<string | undefined> {
  for (const command of needed) {
    try {
      await os.run(command);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return error.missing ? `${command[0]} is not installed` : error.message;
    }
  }
  return undefined;
}
