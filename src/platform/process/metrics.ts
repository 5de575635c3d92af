import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** One registry per process, with Node's own measures (event loop lag, heap, descriptors) in it. */
export function createMetrics(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A gauge whose value is asked for at each scrape. */
export const gauge = (registry: Registry, name: string, help: string, value: () => number): Gauge =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
