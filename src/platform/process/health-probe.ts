import { once } from "node:events";
import { connect } from "node:net";
import type { Environment } from "../config";
import { inUrl, isWildcard } from "./open-port";

/** How one asks whether a process lives. */
export type HealthProbe =
  | { readonly how: "http" | "tcp"; readonly host: string; readonly port: number }
  /** It serves no port: that it runs is all there is to know. */
  | { readonly how: "running" };

const LIMIT_MS = 4_000;

const doors: Readonly<
  Record<string, { how: "http" | "tcp"; port: string; otherwise: number; host: string }>
> = {
  gateway: { how: "http", port: "GATEWAY_PORT", otherwise: 8080, host: "HOST" },
  relay: { how: "http", port: "RELAY_PORT", otherwise: 7070, host: "HOST" },
  tunnel: { how: "http", port: "TUNNEL_PORT", otherwise: 5050, host: "HOST" },
  worker: { how: "http", port: "WORKER_PORT", otherwise: 9090, host: "HOST" },
  // A vehicle's port holds a second client back until the first has gone, so this disturbs no flight.
  simulator: { how: "tcp", port: "SIMULATOR_PORT", otherwise: 5760, host: "HOST" },
};

/**
 * The probe of the process with this command line (`node dist/cmd/relay.js`) and environment. Ports and addresses are
 * the configuration's own; it is asked on loopback where it listens on every address.
 */
export function probeOf(commandLine: readonly string[], env: Environment): HealthProbe {
  const [, name = ""] = commandLine.map((word) => /(?:^|\/)cmd\/(\w+)\.js$/.exec(word)).find(Boolean) ?? [];
  const door = doors[name];
  if (!door) return { how: "running" };
  const host = env[door.host] || "127.0.0.1";
  return {
    how: door.how,
    host: isWildcard(host) ? "127.0.0.1" : host,
    port: Number(env[door.port] || door.otherwise),
  };
}

/** Resolve when the process answers; reject with why it does not. */
export async function ask(probe: HealthProbe): Promise<void> {
  if (probe.how === "running") return;
  if (probe.how === "tcp") {
    const socket = connect({ host: probe.host, port: probe.port });
    await once(socket, "connect", { signal: AbortSignal.timeout(LIMIT_MS) }).finally(() => socket.destroy());
    return;
  }
  const response = await fetch(`http://${inUrl(probe.host)}:${probe.port}/healthz`, {
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  if (!response.ok) throw new Error(`/healthz answers ${response.status}`);
}
