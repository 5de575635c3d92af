import { Counter, Gauge, type Registry } from "../../platform/process/metrics";

export type JumphostMetrics = ReturnType<typeof jumphostMetrics>;

export function jumphostMetrics(registry: Registry, pipes: ReadonlySet<unknown>) {
  const registers = [registry];
  new Gauge({
    name: "fleet_jumphost_pipes",
    help: "Pipes between gateways and vehicles that are open now.",
    registers,
    collect() {
      this.set(pipes.size);
    },
  });
  return {
    bytes: new Counter({
      name: "fleet_jumphost_bytes_total",
      help: "Bytes carried, by direction.",
      labelNames: ["direction"] as const,
      registers,
    }),
    refusals: new Counter({
      name: "fleet_jumphost_refusals_total",
      help: "Pipes that were refused, by reason.",
      labelNames: ["reason"] as const,
      registers,
    }),
    ends: new Counter({
      name: "fleet_jumphost_pipes_closed_total",
      help: "Pipes that ended, by reason.",
      labelNames: ["reason"] as const,
      registers,
    }),
  };
}
