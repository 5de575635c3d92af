import { Counter, Gauge, type Registry } from "../../platform/process/metrics";
import type { Stranger } from "./guests";

export type DoorName = "gateway" | "redis" | "objects";

export interface EdgeMetrics {
  answered(door: DoorName, status: number): void;
  refused(door: DoorName, reason: Stranger | "not_allowed"): void;
}

export function edgeMetrics(
  registry: Registry,
  doors: () => readonly { readonly name: DoorName; readonly open: boolean; readonly connections: number }[],
): EdgeMetrics {
  const registers = [registry];
  const labelNames = ["door"];
  new Gauge({
    name: "fleet_edge_listening",
    help: "1 when the edge listens at this door.",
    labelNames,
    registers,
    collect() {
      for (const { name, open } of doors()) this.set({ door: name }, open ? 1 : 0);
    },
  });
  new Gauge({
    name: "fleet_edge_connections",
    help: "Drones' connections to the edge that are open now, by door.",
    labelNames,
    registers,
    collect() {
      for (const { name, connections } of doors()) this.set({ door: name }, connections);
    },
  });
  const replies = new Counter({
    name: "fleet_edge_requests_total",
    help: "HTTP requests of drones by door and status.",
    labelNames: ["door", "status"],
    registers,
  });
  const refusals = new Counter({
    name: "fleet_edge_refusals_total",
    help: "Connections and commands that the edge did not let pass, by door and reason.",
    labelNames: ["door", "reason"],
    registers,
  });
  return {
    answered: (door, status) => replies.inc({ door, status: String(status) }),
    refused: (door, reason) => refusals.inc({ door, reason }),
  };
}
