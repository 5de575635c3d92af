import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { until } from "../../src/testing/until";

const run = promisify(execFile);
const shell = (script: string, input = "") => {
  const promise = run("sh", ["-ec", script]);
  promise.child.stdin?.end(input);
  return promise;
};

const NAME = "fleettest0";
const HUB = "10.70.0.1";

export interface VpnClient {
  /** Longest time in milliseconds between two answers of the hub since the last call. */
  worstGapMs(): number;
  close(): Promise<void>;
}

/**
 * A user's own computer outside the cluster, here: wireguard-go with a downloaded config. Only the hub's address is
 * routed, not the networks that the config names. Needs root.
 */
export async function connectVpn(config: string): Promise<VpnClient> {
  const field = (name: string) => new RegExp(`^${name}\\s*=\\s*(.+)$`, "m").exec(config)?.[1]?.trim() ?? "";
  const tunnel = spawn("wireguard-go", [NAME], { env: { ...process.env, WG_PROCESS_FOREGROUND: "1" } });
  await until(() => shell(`ip link show ${NAME}`), 10_000);
  const settings =
    `[Interface]\nPrivateKey = ${field("PrivateKey")}\n[Peer]\nPublicKey = ${field("PublicKey")}\n` +
    `Endpoint = ${field("Endpoint")}\nAllowedIPs = ${HUB}/32\nPersistentKeepalive = 5\n`;
  await shell(`wg setconf ${NAME} /dev/stdin`, settings);
  await shell(
    `ip address add ${field("Address").split("/")[0]}/32 dev ${NAME}; ip link set ${NAME} up mtu 1350; ip route add ${HUB} dev ${NAME}`,
  );
  const ping = spawn("ping", ["-i", "0.2", HUB]);
  let last = 0;
  let worst = 0;
  ping.stdout.on("data", (text: Buffer) => {
    if (!text.toString().includes("bytes from")) return;
    const now = performance.now();
    if (last > 0) worst = Math.max(worst, now - last);
    last = now;
  });
  await until(() => last > 0, 30_000);
  return {
    worstGapMs() {
      const seen = Math.max(worst, performance.now() - last);
      worst = 0;
      return seen;
    },
    async close() {
      ping.kill("SIGTERM");
      tunnel.kill("SIGTERM");
      await Promise.all([once(ping, "exit"), once(tunnel, "exit")]);
    },
  };
}
