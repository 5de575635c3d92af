import { type FleetClient, reply } from "../../src/client/client";
import { eventually } from "../../src/platform/eventually";

/** The user's WireGuard client config, downloaded as a client does, once the tunnel service has published it. */
export const downloadConfig = ({ api }: FleetClient): Promise<string> =>
  eventually(
    "The WireGuard config",
    async () => {
      const { url } = await reply(api.GET("/user/vpn"));
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const text = await response.text();
      return response.ok && text.includes("[Peer]") && text;
    },
    { limitMs: 15_000 },
  );
