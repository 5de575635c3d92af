import { Counter, Gauge, type Registry } from "../../platform/process/metrics";

export type ServiceName = "gateway" | "redis" | "objects";

interface ServiceState {
  readonly name: ServiceName;
  readonly url: string | undefined;
  readonly sockets: ReadonlySet<unknown>;
}

export type EdgeMetrics = ReturnType<typeof edgeMetrics>;

export function edgeMetrics(registry: Registry, services: readonly ServiceState[]) {
  const registers = [registry];
  const labelNames = ["service"] as const;
  new Gauge({
    name: "fleet_edge_listening",
    help: "1 when the edge listens for this service.",
    labelNames,
    registers,
    collect() {
      for (const { name, url } of services) this.set({ service: name }, url === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "fleet_edge_connections",
    help: "Drones' connections to the edge that are open now, by service.",
    labelNames,
    registers,
    collect() {
      for (const { name, sockets } of services) this.set({ service: name }, sockets.size);
    },
  });
  return {
    requests: new Counter({
      name: "fleet_edge_requests_total",
      help: "HTTP requests of drones by service and status.",
      labelNames: ["service", "status"] as const,
      registers,
    }),
    refusals: new Counter({
      name: "fleet_edge_refusals_total",
      help: "Connections and commands that the edge refused, by service and reason.",
      labelNames: ["service", "reason"] as const,
      registers,
    }),
  };
}
