import { metricsIn, type Registry } from "../../platform/process/metrics";

export type ServiceName = "gateway" | "redis" | "objects";

interface ServiceState {
  readonly name: ServiceName;
  readonly url: string | undefined;
  readonly sockets: ReadonlySet<unknown>;
}

export type EdgeMetrics = ReturnType<typeof edgeMetrics>;

export function edgeMetrics(registry: Registry, services: readonly ServiceState[]) {
  const { counter, gaugeOf } = metricsIn(registry);
  const byService = (value: (service: ServiceState) => number) => () =>
    Object.fromEntries(services.map((service) => [service.name, value(service)]));
  gaugeOf(
    "fleet_edge_listening",
    "1 when the edge listens for this service.",
    byService(({ url }) => (url === undefined ? 0 : 1)),
    "service",
  );
  gaugeOf(
    "fleet_edge_connections",
    "Drones' connections to the edge that are open now, by service.",
    byService(({ sockets }) => sockets.size),
    "service",
  );
  return {
    requests: counter("fleet_edge_requests_total", "HTTP requests of drones by service and status.", [
      "service",
      "status",
    ]),
    refusals: counter(
      "fleet_edge_refusals_total",
      "Connections and commands that the edge refused, by service and reason.",
      ["service", "reason"],
    ),
  };
}
