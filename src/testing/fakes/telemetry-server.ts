import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TelemetrySockets } from "../../features/telemetry";
import { atEndOfFile } from "../clean-up";

type TelemetryDeps = ConstructorParameters<typeof TelemetrySockets>[0];

/**
 * The gateway's telemetry on a server of its own; sessions and quotas are fakes, and all watchers are one user without drones. Resolves
 * with its port on 127.0.0.1.
 */
export async function startTelemetryServer(
  deps: Pick<TelemetryDeps, "links" | "find" | "log" | "registry">,
  maxHz: number,
): Promise<number> {
  const sockets = new TelemetrySockets({
    ...deps,
    config: {
      TELEMETRY_MAX_HZ: maxHz,
      TELEMETRY_MAX_SOCKETS: 10_000,
      DO_UNSUBSCRIBE: true,
      CORS_ORIGINS: [],
    },
    sessions: { save: async () => {}, load: async () => undefined, drop: async () => {} },
    states: { newest: async () => [] },
    dronesOf: async () => [],
    quotas: { checkAmount: () => {} },
    userOf: () => ({ id: 1, jti: "1", issuedAt: 0, expiresAt: 600, passwordAt: undefined }),
  });
  const server = createServer();
  sockets.attach(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    await sockets.drain();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
