import type { ApiClient } from "../../src/laptop/api-client";
import { eventually } from "../../src/platform/eventually";

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
