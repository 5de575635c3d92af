import type { Redis } from "ioredis";

/** A process's metrics as Prometheus reads them: the value of every series, by name and labels as printed. */
export async function scrape(url: string): Promise<Metrics> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Metrics(text);
}

export class Metrics {
  constructor(readonly text: string) {}

  /** The sum of the series of this name that carry these labels; 0 when there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return this.text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }
}

/** How often a command came to the Redis server since its start, by its lower-case name: `ping`. */
export async function commandCalls(redis: Redis, command: string): Promise<number> {
  const calls = new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m");
  return Number(calls.exec(await redis.info("commandstats"))?.[1] ?? 0);
}
