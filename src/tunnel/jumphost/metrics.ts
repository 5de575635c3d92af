import { metricsIn, type Registry } from "../../platform/process/metrics";

export type JumphostMetrics = ReturnType<typeof jumphostMetrics>;

export function jumphostMetrics(registry: Registry, pipes: ReadonlySet<unknown>) {
  const { counter, gaugeOf } = metricsIn(registry);
  gaugeOf("fleet_jumphost_pipes", "Pipes between gateways and vehicles that are open now.", () => pipes.size);
  return {
    bytes: counter("fleet_jumphost_bytes_total", "Bytes carried, by direction.", ["direction"]),
    refusals: counter("fleet_jumphost_refusals_total", "Pipes that were refused, by reason.", ["reason"]),
    ends: counter("fleet_jumphost_pipes_closed_total", "Pipes that ended, by reason.", ["reason"]),
  };
}
