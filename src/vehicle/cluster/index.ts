export { type AskOutcome, FleetLinks, type FleetObserver, type ServeFeed } from "./cluster-links";
export { LeaseStore } from "./lease-store";
export { Leases, type LeasesObserver, type LossReason } from "./leases";
export type { Message } from "./messages";
export { PeerClient } from "./peer-client";
export { peerListener } from "./peer-server";
