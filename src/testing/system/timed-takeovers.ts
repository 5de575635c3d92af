/** `TAKEOVERS=10` measures each kind as often, for the tables in the docs. */
export const TAKEOVERS = process.env.TAKEOVERS ? Number(process.env.TAKEOVERS) : undefined;
const COUNT = TAKEOVERS ?? 2;

/** For one takeover with all that goes before it. */
const LIMIT_MS = 60_000;
/** For a test that times a kind of takeover. */
export const TIMED_TAKEOVERS_MS = COUNT * LIMIT_MS;

/** Has `takeOver`, which resolves with milliseconds, done again and again; prints p50 and worst, and resolves with the worst. */
export async function timeTakeovers(what: string, takeOver: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < COUNT; n++) times.push(Math.round(await takeOver()));
  const [median, worst] = medianAndWorst(times);
  process.stdout.write(`${what}: p50 ${median} ms, worst ${worst} ms of ${COUNT}\n`);
  return worst;
}

/** Of two in the middle the smaller one. */
export function medianAndWorst(times: readonly number[]): [median: number, worst: number] {
  const sorted = times.toSorted((a, b) => a - b);
  return [sorted[Math.floor((sorted.length - 1) / 2)] as number, sorted.at(-1) as number];
}
