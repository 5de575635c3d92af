import { eventually } from "../../platform/eventually";
import type { ApiClient } from "../api-client";

/** The user's WireGuard client config, downloaded as a client does, once the tunnel service has published it. */
export const downloadConfig = (api: ApiClient): Promise<string> =>
  eventually(
    "The WireGuard config",
    async () => {
      const { url } = await api.get<{ url: string }>("/user/vpn");
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const text = await response.text();
      return response.ok && text.includes("[Peer]") && text;
    },
    { limitMs: 15_000 },
  );

/** Indented, without comments, empty lines and private keys: the terminal may be shared. */
export const redacted = (config: string): string =>
  config
    .replaceAll(/^(PrivateKey|PresharedKey) = .*$/gm, "$1 = (not shown)")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => `    ${line}`)
    .join("\n");
