import { Counter, Gauge, type Registry } from "../../platform/process/metrics";

export type HubMetrics = ReturnType<typeof hubMetrics>;

interface HubGauges {
  /** Seconds for which the lease still runs; 0 when it is not held. */
  readonly remainingSeconds: () => number;
  /** How often the lease has changed hands, as last read. */
  readonly transitions: () => number;
}

export const activeGauge = (registry: Registry) =>
  new Gauge({
    name: "fleet_hub_active",
    help: "1 while this hub is the one that serves.",
    registers: [registry],
  });

/** Of a hub with a lease. */
export function hubMetrics(registry: Registry, { remainingSeconds, transitions }: HubGauges) {
  const registers = [registry];
  const active = activeGauge(registry);
  new Gauge({
    name: "fleet_hub_lease_remaining_seconds",
    help: "For how long the hub's lease still runs without another renewal; 0 when this hub does not hold it.",
    registers,
    collect() {
      this.set(remainingSeconds());
    },
  });
  new Gauge({
    name: "fleet_hub_lease_transitions",
    help: "How often the hub's lease has changed hands, as last read.",
    registers,
    collect() {
      this.set(transitions());
    },
  });
  const changes = new Counter({
    name: "fleet_hub_role_changes_total",
    help: "How often this hub took over (active) or gave up (standby).",
    labelNames: ["to"],
    registers,
  });
  const failures = new Counter({
    name: "fleet_hub_lease_failures_total",
    help: "Attempts at reading or renewing the hub's lease that failed.",
    registers,
  });
  return {
    active: (isActive: boolean) => {
      active.set(isActive ? 1 : 0);
      changes.inc({ to: isActive ? "active" : "standby" });
    },
    leaseFailed: () => failures.inc(),
  };
}
