import { metricsIn, type Registry } from "../../platform/process/metrics";
import type { LeasesObserver, ReplicaRequestObserver } from "../../vehicle/cluster";

interface ReplicaCounts {
  readonly leases: () => number;
  readonly feeds: () => number;
}

/** Metrics of leases and of calls between replicas. */
export function countReplicas(registry: Registry) {
  const { counter, gaugeOf, histogram } = metricsIn(registry);
  const acquired = counter("fleet_link_lease_acquisitions_total", "Drones whose link this replica took.");
  const lost = counter(
    "fleet_link_lease_losses_total",
    "Drones whose link this replica gave up or lost, by reason.",
    ["reason"],
  );
  const remote = histogram(
    "fleet_link_remote_seconds",
    "Time of a request to the replica that holds a drone's link, by request and outcome.",
    [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 20, 60],
    ["request", "outcome"],
  );
  const leases: LeasesObserver = {
    acquired: () => acquired.inc(),
    lost: (_key, reason) => lost.inc({ reason }),
  };
  const replicaRequest: ReplicaRequestObserver = (request, outcome, milliseconds) =>
    remote.observe({ request, outcome }, milliseconds / 1000);
  const watch = (counts: ReplicaCounts) => {
    gaugeOf("fleet_link_leases", "Drones whose link this replica holds.", counts.leases);
    gaugeOf("fleet_link_feeds", "Watched drones whose link another replica holds.", counts.feeds);
  };
  return { leases, replicaRequest, watch };
}
