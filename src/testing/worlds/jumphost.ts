import type { AddressRange } from "../../domain/planes";
import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { addressPolicy } from "../../tunnel/jumphost/address-policy";
import { Jumphost, type JumphostOptions, type OpenPipe } from "../../tunnel/jumphost/jumphost";
import { atEndOfFile } from "../clean-up";

/** Stands in for the drones' range: every address of loopback is a vehicle's. */
export const LOOPBACK_DRONES = {
  name: "drones",
  first: "127.0.0.1",
  last: "127.255.255.254",
} as AddressRange;

export interface TestJumphost {
  readonly url: string;
  /** The open pipes. */
  readonly pipes: ReadonlySet<OpenPipe>;
  readonly jumphost: Jumphost;
  /** Its measures, as Prometheus would read them. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** The tunnel's jumphost with drones on loopback, on a free port when `port` is 0. It is stopped after the file. */
export async function startJumphost(options: Partial<JumphostOptions> = {}, port = 0): Promise<TestJumphost> {
  const registry = createMetrics("test");
  const jumphost = new Jumphost({
    addresses: addressPolicy({ drones: LOOPBACK_DRONES, simulatorHosts: [] }),
    secret: undefined,
    areLinksLeased: false,
    connectMs: 3_000,
    maxPipes: 100,
    isActive: () => true,
    from: undefined,
    log: createLogger("test", "silent"),
    registry,
    ...options,
  });
  const url = await jumphost.listen(port, "127.0.0.1");
  atEndOfFile(() => jumphost.stop());
  return {
    url,
    pipes: jumphost.pipes,
    jumphost,
    metrics: () => registry.metrics(),
    stop: () => jumphost.stop(),
  };
}
