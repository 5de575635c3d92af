export { ClusterLinks, type ServeFeed } from "./cluster-links";
export { LeaseStore } from "./lease-store";
export { Leases, type LeasesObserver, type LossReason } from "./leases";
export type { PeerRequest } from "./messages";
export { PeerClient, type PeerRequestObserver, type PeerRequestOutcome } from "./peer-client";
export { peerListener } from "./peer-server";
