export {
  ClusterLinks,
  type ClusterObserver,
  type PeerRequestOutcome,
  type ServeFeed,
} from "./cluster-links";
export { LeaseStore } from "./lease-store";
export { Leases, type LeasesObserver, type LossReason } from "./leases";
export type { PeerRequest } from "./messages";
export { PeerClient } from "./peer-client";
export { peerListener } from "./peer-server";
