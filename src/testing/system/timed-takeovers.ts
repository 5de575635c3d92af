/** `TAKEOVERS=10` measures each kind as often, for the tables in the docs. */
const COUNT = Number(process.env.TAKEOVERS ?? 2);

/** For one takeover with all that goes before it. */
const LIMIT_MS = 60_000;
/** For a test that times a kind of takeover. */
export const TIMED_TAKEOVERS_MS = COUNT * LIMIT_MS;

/** Has `takeOver`, which resolves with milliseconds, done again and again; prints p50 and worst, and resolves with the worst. */
export async function timeTakeovers(what: string, takeOver: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < COUNT; n++) times.push(Math.round(await takeOver()));
  times.sort((a, b) => a - b);
  const worst = Math.max(...times);
  process.stdout.write(
    `${what}: p50 ${times[Math.floor((COUNT - 1) / 2)]} ms, worst ${worst} ms of ${COUNT}\n`,
  );
  return worst;
}
