import type { Registry } from "../platform/process/metrics";

/**
 * A histogram for hot paths: an observation costs two additions and a short search, where prom-client hashes
 * labels. It is scraped as an ordinary Prometheus histogram with one label whose values are fixed.
 */
export class Tally<Label extends string> {
  private readonly series = new Map<Label, Series>();

  constructor(
    registry: Registry,
    private readonly options: {
      readonly name: string;
      readonly help: string;
      readonly label: string;
      readonly values: readonly Label[];
      /** Upper bounds in seconds, rising. */
      readonly buckets: readonly number[];
    },
  ) {
    for (const value of options.values) this.series.set(value, new Series(options.buckets));
    const { name, help } = options;
    const metric = { name, help, type: "histogram", get: async () => this.collect() };
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }

  /** The one that counts under this label; keep it, to spare the look-up. */
  of(value: Label): Series {
    return this.series.get(value) as Series;
  }

  private collect() {
    const { name, help, label, buckets } = this.options;
    const values = [...this.series].flatMap(([value, { counts, sum }]) => {
      let total = 0;
      const cumulative = [...buckets, "+Inf"].map((le, i) => {
        total += counts[i] ?? 0;
        return { metricName: `${name}_bucket`, labels: { [label]: value, le }, value: total };
      });
      return [
        ...cumulative,
        { metricName: `${name}_sum`, labels: { [label]: value }, value: sum },
        { metricName: `${name}_count`, labels: { [label]: value }, value: total },
      ];
    });
    return { name, help, type: "histogram", values, aggregator: "sum" };
  }
}

export class Series {
  readonly counts: Float64Array;
  sum = 0;

  constructor(private readonly buckets: readonly number[]) {
    this.counts = new Float64Array(buckets.length + 1);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.buckets.length && seconds > this.buckets[bucket]!) bucket++;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }
}
