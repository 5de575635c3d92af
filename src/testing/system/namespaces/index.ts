export type { Protocol, StreamReport, Target } from "./agent";
export { controlStream, printRoundTrips } from "./control-stream";
export { type HubTestbed, hubTestbed } from "./hub-testbed";
export { Namespace } from "./namespace";
export { VpnClient } from "./vpn-client";

/** Namespaces and tunnels take root. A test that lacks root is counted as skipped, which fails where `CI` is set. */
export const asRoot: typeof test = process.getuid?.() === 0 ? test : (test.skip as typeof test);
