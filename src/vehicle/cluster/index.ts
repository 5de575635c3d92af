export { ClusterLinks, type ServeFeed } from "./cluster-links";
export { LeaseStore } from "./lease-store";
export { Leases, type LeasesObserver, type LossReason } from "./leases";
export type { ReplicaRequest } from "./messages";
export { Orphans } from "./orphans";
export { ReplicaClient, type ReplicaRequestObserver, type ReplicaRequestOutcome } from "./replica-client";
export { replicaListener } from "./replica-server";
