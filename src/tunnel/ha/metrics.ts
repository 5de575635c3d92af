import { metricsIn, type Registry } from "../../platform/process/metrics";

export type HubMetrics = ReturnType<typeof hubMetrics>;

interface HubGauges {
  /** Seconds for which the lease still runs; 0 when it is not held. */
  readonly remainingSeconds: () => number;
  /** How often the lease has changed hands, as last read. */
  readonly transitions: () => number;
}

export const activeGauge = (registry: Registry) =>
  metricsIn(registry).gauge("fleet_hub_active", "1 while this hub is the one that serves.");

/** Of a hub with a lease. */
export function hubMetrics(registry: Registry, { remainingSeconds, transitions }: HubGauges) {
  const { counter, gaugeOf } = metricsIn(registry);
  const active = activeGauge(registry);
  gaugeOf(
    "fleet_hub_lease_remaining_seconds",
    "For how long the hub's lease still runs without another renewal; 0 when this hub does not hold it.",
    remainingSeconds,
  );
  gaugeOf(
    "fleet_hub_lease_transitions",
    "How often the hub's lease has changed hands, as last read.",
    transitions,
  );
  const changes = counter(
    "fleet_hub_role_changes_total",
    "How often this hub took over (active) or gave up (standby).",
    ["to"],
  );
  const failures = counter(
    "fleet_hub_lease_failures_total",
    "Attempts at reading or renewing the hub's lease that failed.",
  );
  return {
    active: (isActive: boolean) => {
      active.set(isActive ? 1 : 0);
      changes.inc({ to: isActive ? "active" : "standby" });
    },
    leaseFailed: () => failures.inc(),
  };
}
