import { createLogger } from "../../platform/log";
import { atEndOfFile } from "../../testing";
import { FakeLeases } from "../../testing/fake-leases";
import { until } from "../../testing/until";
import { Elector, type ElectorOptions } from "./elector";
import { KubernetesLease } from "./kubernetes-lease";
import { monotonicMs } from "./lease";

const LEASE = "fleet-tunnel-hub";
const DURATION_MS = 2_000;
const DEADLINE_MS = 1_000;

let api: FakeLeases;
const logged: string[] = [];

beforeEach(async () => {
  api = await FakeLeases.listening();
  logged.length = 0;
});

interface Candidate {
  readonly elector: Elector;
  /** What it was told, and when. */
  readonly told: { readonly isHeld: boolean; readonly at: number }[];
  readonly noted: number[];
}

function candidate(identity: string, options: Partial<ElectorOptions> = {}): Candidate {
  const told: Candidate["told"] = [];
  const noted: number[] = [];
  const elector = new Elector({
    store: new KubernetesLease({ name: LEASE, namespace: "fleet", kubeConfig: api.config() }),
    identity,
    durationMs: DURATION_MS,
    deadlineMs: DEADLINE_MS,
    retryMs: 100,
    now: monotonicMs,
    log: createLogger("test", "trace", { write: (line) => void logged.push(line) }),
    noteUntil: (until) => void noted.push(until),
    onChange: (isHeld) => void told.push({ isHeld, at: monotonicMs() }),
    onFailure: () => {},
    ...options,
  });
  atEndOfFile(() => elector.stop());
  return { elector, told, noted };
}

/** Each change of each candidate in its order, with the promise that no two hold at once. */
function neverBoth(...candidates: Candidate[]): void {
  const changes = candidates.flatMap(({ told }, who) => told.map((change) => ({ ...change, who })));
  const holders = new Set<number>();
  for (const { who, isHeld } of changes.sort((a, b) => a.at - b.at)) {
    if (isHeld) holders.add(who);
    else holders.delete(who);
    expect(holders.size).toBeLessThanOrEqual(1);
  }
}

test("of two candidates one holds the lease, as long as it renews, and writes down up to when before it does", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await Promise.all([one.elector.start(), two.elector.start()]);
  await until(() => one.elector.isHeld !== two.elector.isHeld);
  const [holder, other] = one.elector.isHeld ? [one, two] : [two, one];
  const first = holder.noted[0] as number;
  expect(first).toBeLessThanOrEqual((holder.told[0]?.at as number) + DEADLINE_MS);
  await until(() => (holder.noted.at(-1) as number) > first + 2 * DURATION_MS, 20_000);
  expect(other.told).toEqual([]);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(0);
  neverBoth(one, two);
}, 30_000);

test("the lease of a holder that is gone is taken when it has not changed for its duration, and not before", async () => {
  const one = candidate("one");
  await one.elector.start();
  const two = candidate("two");
  await two.elector.start();
  // It stops without a word, as one that is killed.
  await one.elector.stop();
  const goneAt = monotonicMs();
  await until(() => two.elector.isHeld, 20_000);
  expect((two.told[0]?.at as number) - goneAt).toBeGreaterThan(DURATION_MS - DEADLINE_MS);
  expect(api.leases.get(LEASE)?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
  neverBoth(one, two);
}, 30_000);

test("a lease that is released is taken at once", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await one.elector.start();
  await two.elector.start();
  await one.elector.stop();
  await one.elector.release();
  const releasedAt = monotonicMs();
  await until(() => two.elector.isHeld, 20_000);
  expect((two.told[0]?.at as number) - releasedAt).toBeLessThan(DURATION_MS);
});

test("without the API server the holder gives up by its deadline, nobody takes over, and it comes back", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await one.elector.start();
  await two.elector.start();
  api.cut();
  const cutAt = monotonicMs();
  await until(() => !one.elector.isHeld, 10_000);
  expect(monotonicMs() - cutAt).toBeLessThan(DEADLINE_MS + 1_000);
  await until(() => one.told.length === 2);
  await until(() => monotonicMs() - cutAt > 2 * DURATION_MS, 20_000);
  expect(two.elector.isHeld).toBe(false);
  expect(logged.join("")).toContain("could not be renewed in time");
  api.mend();
  await until(() => one.elector.isHeld || two.elector.isHeld, 20_000);
  neverBoth(one, two);
}, 40_000);

test("an API server that answers too late counts as one that does not", async () => {
  const one = candidate("one");
  await one.elector.start();
  api.delayMs = 2 * DEADLINE_MS;
  await until(() => !one.elector.isHeld, 10_000);
  api.delayMs = 0;
  await until(() => one.elector.isHeld, 10_000);
  expect(one.told.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
}, 30_000);

test("who was paused past its deadline is no holder before it has done anything, and begins anew", async () => {
  let pausedMs = 0;
  const one = candidate("one", { now: () => monotonicMs() + pausedMs });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(true);
  pausedMs = 10 * DEADLINE_MS;
  expect(one.elector.isHeld).toBe(false);
  await until(() => one.elector.isHeld, 10_000);
  expect(one.told.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
}, 20_000);

test("clocks do not matter: neither the steps of one's own nor the times that another wrote", async () => {
  const one = candidate("one");
  await one.elector.start();
  const two = candidate("two");
  await two.elector.start();
  const now = Date.now;
  try {
    for (const step of [-3_600_000, 3_600_000]) {
      Date.now = () => now() + step;
      const { renewTime } = api.leases.get(LEASE)?.spec ?? {};
      await until(() => api.leases.get(LEASE)?.spec?.renewTime !== renewTime);
      expect(one.elector.isHeld).toBe(true);
    }
    const lease = api.leases.get(LEASE);
    if (lease?.spec) Object.assign(lease.spec, { renewTime: "2001-01-01T00:00:00.000000Z" });
    const from = monotonicMs();
    await until(() => monotonicMs() - from > DEADLINE_MS);
    expect(two.elector.isHeld).toBe(false);
  } finally {
    Date.now = now;
  }
}, 20_000);

test("the same hub after a restart goes on with its own lease at once", async () => {
  const before = candidate("one");
  await before.elector.start();
  await before.elector.stop();
  const after = candidate("one");
  await after.elector.start();
  expect(after.elector.isHeld).toBe(true);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(0);
});

test("a lease whose end cannot be written down is not held", async () => {
  const one = candidate("one", {
    noteUntil: () => {
      throw new Error("The disk is full.");
    },
  });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(false);
  expect(one.told).toEqual([]);
  expect(logged.join("")).toContain("The disk is full.");
});
