import { type PlaneName, planeNames } from "../domain/tunnel-planes";
import { metricsIn, type Registry } from "../platform/process/metrics";
import type { ConfigDamage } from "./client-configs/publish";
import { type RowFault, rowFaults } from "./reconcile/fleet";

/** Where a reconciliation can fail while its other parts go on. */
export type Stage =
  | "database"
  | "rows"
  | "firewall-rules"
  | "firewall-pairs"
  | "conntrack"
  | "interface"
  | "peers"
  | "configs"
  | "stats";

type ChangeKind =
  | "peer-created"
  | "peer-corrected"
  | "peer-removed"
  | "pair-opened"
  | "pair-closed"
  | "rules"
  | "interface";

export type TunnelMetrics = ReturnType<typeof tunnelMetrics>;

export function tunnelMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  const peers = gauge("fleet_tunnel_peers", "Live peers by plane.", ["plane"]);
  const held = gauge(
    "fleet_tunnel_held_removals",
    "Peers that vanished with many others and stay until three ticks confirm it, by plane.",
    ["plane"],
  );
  const changes = counter("fleet_tunnel_changes_total", "Changes made to the node, by kind.", ["kind"]);
  const failures = counter(
    "fleet_tunnel_failures_total",
    "Failures by the stage of the reconciliation that failed.",
    ["stage"],
  );
  const faultyRows = gauge(
    "fleet_tunnel_faulty_rows",
    "Rows of the database that are left out or cut short, by plane and by what is wrong in them.",
    ["plane", "fault"],
  );
  const damagedConfigs = counter(
    "fleet_tunnel_damaged_configs_total",
    "Client configs found damaged in the object store, by what became of them: repaired or put-aside.",
    ["outcome"],
  );
  const lostConfigs = gauge(
    "fleet_tunnel_lost_configs",
    "Client configs that the object store has lost although their peers are live.",
  );
  const lastSuccess = gauge(
    "fleet_tunnel_last_success_timestamp_seconds",
    "When a reconciliation last succeeded in every part.",
  );
  const duration = histogram(
    "fleet_tunnel_reconcile_duration_seconds",
    "Time that a reconciliation took.",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  );
  return {
    peers: (plane: PlaneName, count: number) => peers.set({ plane }, count),
    held: (plane: PlaneName, count: number) => held.set({ plane }, count),
    changed: (kind: ChangeKind, count = 1) => changes.inc({ kind }, count),
    failed: (stage: Stage) => failures.inc({ stage }),
    /** The faults of the rows as last read, in place of earlier ones. */
    faultyRows: (faults: readonly RowFault[]) => {
      for (const plane of planeNames) for (const fault of rowFaults) faultyRows.set({ plane, fault }, 0);
      for (const { plane, fault } of faults) faultyRows.inc({ plane, fault });
    },
    damagedConfig: (outcome: ConfigDamage) => damagedConfigs.inc({ outcome }),
    lostConfigs: (count: number) => lostConfigs.set(count),
    /** `at`: when every stage had succeeded. */
    reconciled: (seconds: number, at: Date | undefined) => {
      duration.observe(seconds);
      if (at) lastSuccess.set(at.getTime() / 1000);
    },
  };
}
