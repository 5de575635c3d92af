import { Counter, gauge, Histogram, type Registry } from "../../platform/process/metrics";
import type { LeasesObserver, ReplicaRequestObserver } from "../../vehicle/cluster";

interface ReplicaCounts {
  readonly leases: () => number;
  readonly feeds: () => number;
}

/** Metrics of leases and of calls between replicas. */
export function countReplicas(registry: Registry) {
  const registers = [registry];
  const acquired = new Counter({
    name: "fleet_link_lease_acquisitions_total",
    help: "Drones whose link this replica took.",
    registers,
  });
  const lost = new Counter({
    name: "fleet_link_lease_losses_total",
    help: "Drones whose link this replica gave up or lost, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const remote = new Histogram({
    name: "fleet_link_remote_seconds",
    help: "Time of a request to the replica that holds a drone's link, by request and outcome.",
    labelNames: ["request", "outcome"],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 20, 60],
    registers,
  });
  const leases: LeasesObserver = {
    acquired: () => acquired.inc(),
    lost: (_key, reason) => lost.inc({ reason }),
  };
  const replicaRequest: ReplicaRequestObserver = (request, outcome, milliseconds) =>
    remote.observe({ request, outcome }, milliseconds / 1000);
  const watch = (counts: ReplicaCounts) => {
    gauge(registry, "fleet_link_leases", "Drones whose link this replica holds.", counts.leases);
    gauge(registry, "fleet_link_feeds", "Watched drones whose link another replica holds.", counts.feeds);
  };
  return { leases, replicaRequest, watch };
}
