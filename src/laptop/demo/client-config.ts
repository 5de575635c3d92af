import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "../api-client";

const limitMs = 15_000;
const pauseMs = 200;

/**
 * The user's WireGuard client config, downloaded as a client does, once the tunnel service has published it. Rejects
 * when that takes too long.
 */
export async function downloadConfig(api: ApiClient): Promise<string> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const { url } = await api.get<{ url: string }>("/user/vpn");
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    const text = await response.text();
    if (response.ok && text.includes("[Peer]")) return text;
    if (Date.now() > deadline) {
      throw new Error(`No client config within ${limitMs / 1000} s: the store answers ${response.status}.`);
    }
    await delay(pauseMs);
  }
}

/** As it may be shown: whoever reads the terminal must not become a peer. */
export const masked = (config: string): string =>
  config.replaceAll(/^(PrivateKey|PresharedKey) = .*$/gm, "$1 = (not shown)");

/** Indented, without its comments and empty lines. */
export const shown = (config: string): string =>
  masked(config)
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => `    ${line}`)
    .join("\n");
