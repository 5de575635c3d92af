/** The kinds of loads. Workers do the jobs in the background. */
export const LOAD_KINDS = [
  "commands",
  "telemetry",
  "sticks",
  "log-outs",
  "uploads",
  "webhooks",
  "peers",
  "jobs",
] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

/** When each kind of load succeeded, through which replica. Times are `performance.now()`. */
export class Progress {
  private readonly times = new Map<string, number[]>();

  /** Announces a load, so that `missing` names it if it never succeeds. */
  expect(kind: LoadKind, through: string): void {
    this.times.set(`${kind} through ${through}`, []);
  }

  success(kind: LoadKind, through: string, at = performance.now()): void {
    this.times.get(`${kind} through ${through}`)?.push(at);
  }

  /** The loads without a success since then. */
  missing(since: number): string[] {
    return [...this.times].filter(([, times]) => !((times.at(-1) ?? 0) >= since)).map(([name]) => name);
  }

  /** Milliseconds from then until the kind had succeeded through every replica. */
  recovery(kind: LoadKind, since: number): number {
    const firsts = [...this.times]
      .filter(([name]) => name.startsWith(`${kind} `))
      .map(([, times]) => (times.find((at) => at >= since) ?? Number.POSITIVE_INFINITY) - since);
    return Math.max(...firsts);
  }
}
