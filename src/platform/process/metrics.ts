import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** One registry per process, with Node's own measures (event loop lag, heap, descriptors) in it. */
export function createMetrics(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Makes metrics of a registry, each by its name, its help and the names of its labels. */
export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Counter<Label>({ name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge<Label>({ name, help, labelNames, registers }),
    /** A gauge that `read` gives its value or its values at each scrape. */
    gaugeOf: (
      name: string,
      help: string,
      read: () => number | Readonly<Record<string, number>>,
      label = "",
    ) =>
      new Gauge({
        name,
        help,
        labelNames: label ? [label] : [],
        registers,
        collect() {
          const now = read();
          if (typeof now === "number") this.set(now);
          else for (const [value, count] of Object.entries(now)) this.set({ [label]: value }, count);
        },
      }),
    /** A counter whose values `read` gives at each scrape; they only grow. */
    counterOf: (name: string, help: string, read: () => Readonly<Record<string, number>>, label: string) =>
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      }),
    /** `buckets` in seconds. */
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly Label[] = [],
    ) => new Histogram<Label>({ name, help, buckets, labelNames, registers }),
  };
}
