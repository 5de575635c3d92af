import { FakeLeases, HUB_LEASE as LEASE } from "../../testing/fakes/fake-leases";
import { until } from "../../testing/until";
import {
  candidate as candidateAt,
  CANDIDATE_DEADLINE_MS as DEADLINE_MS,
  CANDIDATE_DURATION_MS as DURATION_MS,
  neverBoth,
} from "../../testing/worlds/lease-candidates";
import type { ElectorOptions } from "./elector";
import { KubernetesLease } from "./kubernetes-lease";
import { LeaseConflict, type LeaseRecord, monotonicMs } from "./lease";

let api: FakeLeases;

beforeEach(async () => {
  api = await FakeLeases.listening();
});

const candidate = (identity: string, options: Partial<ElectorOptions> = {}) =>
  candidateAt(
    identity,
    new KubernetesLease({ name: LEASE, namespace: "fleet", kubeConfig: api.config() }),
    options,
  );

test("of two candidates one holds the lease, as long as it renews, and writes down up to when before it does", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await Promise.all([one.elector.start(), two.elector.start()]);
  await until(() => one.elector.isHeld !== two.elector.isHeld);
  const [holder, other] = one.elector.isHeld ? [one, two] : [two, one];
  const first = holder.noted[0] as number;
  expect(first).toBeLessThanOrEqual((holder.told[0]?.at as number) + DEADLINE_MS);
  await until(() => (holder.noted.at(-1) as number) > first + 2 * DURATION_MS);
  expect(other.told).toEqual([]);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(1);
  neverBoth(one, two);
});

test("the lease of a holder that is gone is taken when it has not changed for its duration, and not before", async () => {
  const one = candidate("one");
  await one.elector.start();
  const two = candidate("two");
  await two.elector.start();
  // It stops without a word, as one that is killed.
  await one.elector.stop();
  const goneAt = monotonicMs();
  await until(() => two.elector.isHeld);
  expect((two.told[0]?.at as number) - goneAt).toBeGreaterThan(DURATION_MS - DEADLINE_MS);
  expect(api.leases.get(LEASE)?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 2 });
  // It is not released by whom it is not.
  await one.elector.release();
  expect(api.holder(LEASE)).toBe("two");
  neverBoth(one, two);
});

test("a lease that is released is taken at once", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await one.elector.start();
  await two.elector.start();
  await one.elector.stop();
  await one.elector.release();
  const releasedAt = monotonicMs();
  await until(() => two.elector.isHeld);
  expect((two.told[0]?.at as number) - releasedAt).toBeLessThan(DURATION_MS);
});

test("without the API server the holder gives up by its deadline, nobody takes over, and it comes back", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await one.elector.start();
  await two.elector.start();
  api.cut();
  const cutAt = monotonicMs();
  await until(() => !one.elector.isHeld);
  expect(monotonicMs() - cutAt).toBeLessThan(DEADLINE_MS + 1_000);
  await until(() => one.told.length === 2);
  await until(() => monotonicMs() - cutAt > 2 * DURATION_MS);
  expect(two.elector.isHeld).toBe(false);
  expect(one.logged.join("")).toContain("Gave up the hub's lease");
  api.mend();
  await until(() => one.elector.isHeld || two.elector.isHeld);
  neverBoth(one, two);
});

test("an API server that answers too late counts as one that does not", async () => {
  const one = candidate("one");
  await one.elector.start();
  api.delayMs = 2 * DEADLINE_MS;
  await until(() => !one.elector.isHeld);
  api.delayMs = 0;
  await until(() => one.elector.isHeld);
  expect(one.told.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
});

test("a term counts from when its renewal was sent, however late the answer comes", async () => {
  let sentAt = Number.NaN;
  class Late extends KubernetesLease {
    override async write(...asked: Parameters<KubernetesLease["write"]>) {
      const at = monotonicMs();
      const written = await super.write(...asked);
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS / 4));
      sentAt = at;
      return written;
    }
  }
  const store = new Late({ name: LEASE, namespace: "fleet", kubeConfig: api.config() });
  // Each end beside its own renewal: on a busy machine a renewal may fail and have none.
  const countedMs: number[] = [];
  const one = candidateAt("one", store, { storeEnd: (end) => void countedMs.push(end - sentAt) });
  await one.elector.start();
  await until(() => countedMs.length > 2);
  expect(Math.max(...countedMs)).toBeLessThanOrEqual(DEADLINE_MS);
});

test("who was paused past its deadline is no holder before it has done anything, and begins anew", async () => {
  let pausedMs = 0;
  const one = candidate("one", { now: () => monotonicMs() + pausedMs });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(true);
  pausedMs = 10 * DEADLINE_MS;
  expect(one.elector.isHeld).toBe(false);
  await until(() => one.elector.isHeld);
  expect(one.told.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
});

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
});

const meddlings: [string, () => void][] = [
  ["deleted", () => void api.leases.delete(LEASE)],
  ["made anew", () => void api.leases.set(LEASE, { metadata: { name: LEASE, resourceVersion: "anew" } })],
];

test.each(meddlings)(
  "a lease that is %s under its holder is not taken by who starts just then, and has seen nobody hold it",
  async (_, meddle) => {
    const one = candidate("one");
    await one.elector.start();
    // It goes on for what is left of its term, and cannot write meanwhile, as one that the API server does not reach.
    await one.elector.stop();
    meddle();
    const two = candidate("two");
    const startedAt = monotonicMs();
    await two.elector.start();
    expect(two.elector.isHeld).toBe(false);
    await until(() => two.elector.isHeld);
    expect((two.told[0]?.at as number) - startedAt).toBeGreaterThan(DURATION_MS);
  },
);

test.each([
  ...meddlings.map(([name, meddle]) => ({ name, before: "held", meddle })),
  { name: "deleted", before: "not there", meddle: () => void api.leases.delete(LEASE) },
])(
  "a lease that is $name under its holder is not taken by who could not look since it was $before",
  async ({ before, meddle }) => {
    const store = new KubernetesLease({ name: LEASE, namespace: "fleet", kubeConfig: api.config() });
    const one = candidate("one", { retryMs: (DEADLINE_MS * 2) / 5 });
    const two = candidateAt("two", store);
    if (before === "held") await one.elector.start();
    else api.leases.delete(LEASE);
    await two.elector.start();
    const cut = jest.spyOn(store, "read").mockRejectedValue(new Error("cut off"));
    const from = monotonicMs();
    if (before !== "held") await one.elector.start();
    await until(() => one.elector.isHeld && monotonicMs() - from > DURATION_MS);
    const { renewTime } = api.leases.get(LEASE)?.spec ?? {};
    await until(() => api.leases.get(LEASE)?.spec?.renewTime !== renewTime);
    meddle();
    cut.mockRestore();
    await until(() => api.holder(LEASE) !== undefined);
    expect(api.holder(LEASE)).toBe("one");
    expect(two.told).toEqual([]);
  },
);

test.each(meddlings)(
  "who has just taken a lease that is %s writes it again, and serves on",
  async (_, meddle) => {
    const [one, two] = [candidate("one"), candidate("two")];
    await one.elector.start();
    await two.elector.start();
    await one.elector.stop();
    await one.elector.release();
    await until(() => two.elector.isHeld);
    meddle();
    await until(() => api.holder(LEASE) === "two");
    expect(two.told.map(({ isHeld }) => isHeld)).toEqual([true]);
  },
);

test.each(meddlings)(
  "a lease that is %s under its holder is nobody else's before the holder's term is over",
  async (_, meddle) => {
    const [one, two] = [candidate("one"), candidate("two")];
    await one.elector.start();
    await two.elector.start();
    await one.elector.stop();
    const meddledAt = monotonicMs();
    meddle();
    await until(() => two.elector.isHeld);
    expect((two.told[0]?.at as number) - meddledAt).toBeGreaterThan(DURATION_MS / 2);
    // One that goes on has it again before anybody else may.
    meddle();
    await until(() => api.holder(LEASE) === "two");
    expect(two.told.map(({ isHeld }) => isHeld)).toEqual([true]);
  },
);

test("the same hub after a restart goes on with its own lease at once", async () => {
  const before = candidate("one");
  await before.elector.start();
  await before.elector.stop();
  const after = candidate("one");
  await after.elector.start();
  expect(after.elector.isHeld).toBe(true);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(1);
});

test("a lease whose end cannot be written down is not held", async () => {
  const one = candidate("one", {
    storeEnd: () => {
      throw new Error("The disk is full.");
    },
  });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(false);
  expect(one.told).toEqual([]);
  expect(one.logged.join("")).toContain("The disk is full.");
});

test("a term that has ended is not inherited, and no loss is told of", async () => {
  const one = candidate("one");
  one.elector.inherit(monotonicMs() - 1);
  expect(one.elector.isHeld).toBe(false);
  one.elector.inherit(monotonicMs() + 2 * DEADLINE_MS);
  expect(one.elector.isHeld).toBe(false);
  one.elector.inherit(monotonicMs() + DEADLINE_MS / 2);
  expect(one.elector.isHeld).toBe(true);
  await until(() => one.told.length === 2);
  expect(one.logged.join("").match(/Gave up the hub's lease/g)).toHaveLength(1);
});

const heldBy = (holder: string): LeaseRecord => ({
  holder,
  durationSeconds: DURATION_MS / 1000,
  transitions: 1,
  version: `of ${holder}`,
});

test("who inherited a term and finds the lease with another, or loses it to him while renewing, serves no more", async () => {
  const asked = candidateAt("one", {
    read: async () => heldBy("two"),
    write: () => Promise.reject(new Error("Another has it.")),
  });
  const reads = [heldBy("one"), heldBy("two")];
  const raced = candidateAt("one", {
    read: async () => reads.shift(),
    write: () => Promise.reject(new LeaseConflict()),
  });
  for (const { elector, told } of [asked, raced]) {
    elector.inherit(monotonicMs() + DEADLINE_MS);
    await elector.start();
    expect(elector.isHeld).toBe(false);
    expect(told.map(({ isHeld }) => isHeld)).toEqual([true, false]);
  }
});

test("who is stopped while it takes the lease never holds it", async () => {
  let answer: ((taken: LeaseRecord) => void) | undefined;
  const one = candidateAt("one", {
    read: async () => heldBy(""),
    write: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const started = one.elector.start();
  await until(() => answer !== undefined);
  const stopped = one.elector.stop();
  answer?.(heldBy("one"));
  await Promise.all([started, stopped]);
  expect(one.told).toEqual([]);
  expect(one.noted).toEqual([]);
});

test("what the API server refuses is told in its own words", async () => {
  const one = candidate("one");
  api.refusesWith(403, 'leases.coordination.k8s.io "fleet-tunnel-hub" is forbidden');
  await one.elector.start();
  expect(one.elector.isHeld).toBe(false);
  expect(one.logged.join("")).toMatch(/API server refuses .*403.*is forbidden/);
  api.refusesWith(undefined);
  await until(() => one.elector.isHeld);
});
