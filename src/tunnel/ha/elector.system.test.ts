import { setTimeout as delay } from "node:timers/promises";
import { FakeLeases, HUB_LEASE as LEASE } from "../../testing/fakes/fake-leases";
import { until } from "../../testing/until";
import {
  assertOneHolder,
  candidate as candidateAt,
  CANDIDATE_DEADLINE_MS as DEADLINE_MS,
  CANDIDATE_DURATION_MS as DURATION_MS,
  expectReleasedLeaseTaken,
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

test("one of two candidates holds the lease while it renews it, and stores its expiry first", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await Promise.all([one.elector.start(), two.elector.start()]);
  await until(() => one.elector.isHeld !== two.elector.isHeld);
  const [holder, other] = one.elector.isHeld ? [one, two] : [two, one];
  const first = holder.storedEnds[0] as number;
  expect(first).toBeLessThanOrEqual((holder.changes[0]?.at as number) + DEADLINE_MS);
  await until(() => (holder.storedEnds.at(-1) as number) > first + 2 * DURATION_MS);
  expect(other.changes).toEqual([]);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(1);
  assertOneHolder(one, two);
});

test("the lease of a holder that stopped is taken once it has not changed for its duration, and not earlier", async () => {
  const one = candidate("one");
  await one.elector.start();
  const two = candidate("two");
  await two.elector.start();
  // It stops without a word, as one that is killed.
  await one.elector.stop();
  const goneAt = monotonicMs();
  await until(() => two.elector.isHeld);
  expect((two.changes[0]?.at as number) - goneAt).toBeGreaterThan(DURATION_MS - DEADLINE_MS);
  expect(api.leases.get(LEASE)?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 2 });
  // It is not released by whom it is not.
  await one.elector.release();
  expect(api.holder(LEASE)).toBe("two");
  assertOneHolder(one, two);
});

test("a lease that is released is taken at once", () =>
  expectReleasedLeaseTaken([candidate("one"), candidate("two")], DURATION_MS));

test("a holder that cannot reach the API server gives up by its deadline, no other takes over, and it holds the lease again later", async () => {
  const [one, two] = [candidate("one"), candidate("two")];
  await one.elector.start();
  await two.elector.start();
  api.cut();
  const cutAt = monotonicMs();
  await until(() => !one.elector.isHeld);
  expect(monotonicMs() - cutAt).toBeLessThan(DEADLINE_MS + 1_000);
  await until(() => one.changes.length === 2);
  await until(() => monotonicMs() - cutAt > 2 * DURATION_MS);
  expect(two.elector.isHeld).toBe(false);
  expect(one.logged.join("")).toContain("Gave up the hub's lease");
  api.mend();
  await until(() => one.elector.isHeld || two.elector.isHeld);
  assertOneHolder(one, two);
});

test("an API server that answers after the deadline counts as unreachable", async () => {
  const one = candidate("one");
  await one.elector.start();
  api.delayMs = 2 * DEADLINE_MS;
  await until(() => !one.elector.isHeld);
  api.delayMs = 0;
  await until(() => one.elector.isHeld);
  expect(one.changes.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
});

test("a lease starts when its renewal is sent, also when the answer is late", async () => {
  let sentAt = Number.NaN;
  class Late extends KubernetesLease {
    override async write(...asked: Parameters<KubernetesLease["write"]>) {
      const at = monotonicMs();
      const written = await super.write(...asked);
      await delay(DEADLINE_MS / 4);
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

test("a holder that was paused past its deadline no longer holds the lease when it resumes, and applies again", async () => {
  let pausedMs = 0;
  const one = candidate("one", { now: () => monotonicMs() + pausedMs });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(true);
  pausedMs = 10 * DEADLINE_MS;
  expect(one.elector.isHeld).toBe(false);
  await until(() => one.elector.isHeld);
  expect(one.changes.map(({ isHeld }) => isHeld)).toEqual([true, false, true]);
});

test("neither steps of the own clock nor another holder's timestamps change who holds the lease", async () => {
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
  "a lease that is %s while it is held is not taken by a candidate that starts just then",
  async (_, meddle) => {
    const one = candidate("one");
    await one.elector.start();
    // It goes on for the rest of its lease, and cannot write meanwhile, as one that the API server does not reach.
    await one.elector.stop();
    meddle();
    const two = candidate("two");
    const startedAt = monotonicMs();
    await two.elector.start();
    expect(two.elector.isHeld).toBe(false);
    await until(() => two.elector.isHeld);
    expect((two.changes[0]?.at as number) - startedAt).toBeGreaterThan(DURATION_MS);
  },
);

test.each([
  ...meddlings.map(([name, meddle]) => ({ name, before: "held", meddle })),
  { name: "deleted", before: "not there", meddle: () => void api.leases.delete(LEASE) },
])(
  "a lease that is $name while it is held is not taken by a candidate that has not read it since it was $before",
  async ({ before, meddle }) => {
    // A busy machine may hold the holder's next renewal up for seconds.
    const [durationMs, deadlineMs] = [2 * DURATION_MS, 3 * DEADLINE_MS];
    const store = new KubernetesLease({ name: LEASE, namespace: "fleet", kubeConfig: api.config() });
    const one = candidate("one", { durationMs, deadlineMs, retryMs: (DEADLINE_MS * 2) / 5 });
    const two = candidateAt("two", store, { durationMs, deadlineMs });
    if (before === "held") await one.elector.start();
    else api.leases.delete(LEASE);
    await two.elector.start();
    const cut = jest.spyOn(store, "read").mockRejectedValue(new Error("cut off"));
    const from = monotonicMs();
    if (before !== "held") await one.elector.start();
    await until(() => one.elector.isHeld && monotonicMs() - from > durationMs);
    const { renewTime } = api.leases.get(LEASE)?.spec ?? {};
    await until(() => api.leases.get(LEASE)?.spec?.renewTime !== renewTime);
    meddle();
    cut.mockRestore();
    await until(() => api.holder(LEASE) !== undefined);
    expect(api.holder(LEASE)).toBe("one");
    expect(two.changes).toEqual([]);
  },
);

test.each(meddlings)(
  "a candidate whose lease is %s just after it took it writes it again, and keeps serving",
  async (_, meddle) => {
    const [one, two] = [candidate("one"), candidate("two")];
    await one.elector.start();
    await two.elector.start();
    await one.elector.stop();
    await one.elector.release();
    await until(() => two.elector.isHeld);
    meddle();
    await until(() => api.holder(LEASE) === "two");
    expect(two.changes.map(({ isHeld }) => isHeld)).toEqual([true]);
  },
);

test.each(meddlings)(
  "a lease that is %s while it is held is not taken before the holder's lease has expired",
  async (_, meddle) => {
    const [one, two] = [candidate("one"), candidate("two")];
    await one.elector.start();
    await two.elector.start();
    await one.elector.stop();
    const meddledAt = monotonicMs();
    meddle();
    await until(() => two.elector.isHeld);
    expect((two.changes[0]?.at as number) - meddledAt).toBeGreaterThan(DURATION_MS / 2);
    // A holder that continues has the lease again before another candidate may take it.
    meddle();
    await until(() => api.holder(LEASE) === "two");
    expect(two.changes.map(({ isHeld }) => isHeld)).toEqual([true]);
  },
);

test("a hub that restarts continues its own lease at once", async () => {
  const before = candidate("one");
  await before.elector.start();
  await before.elector.stop();
  const after = candidate("one");
  await after.elector.start();
  expect(after.elector.isHeld).toBe(true);
  expect(api.leases.get(LEASE)?.spec?.leaseTransitions).toBe(1);
});

test("a candidate that cannot store its expiry does not hold the lease", async () => {
  const one = candidate("one", {
    storeEnd: () => {
      throw new Error("The disk is full.");
    },
  });
  await one.elector.start();
  expect(one.elector.isHeld).toBe(false);
  expect(one.changes).toEqual([]);
  expect(one.logged.join("")).toContain("The disk is full.");
});

test("an expired lease is not resumed, and no loss is logged", async () => {
  const one = candidate("one");
  one.elector.inherit(monotonicMs() - 1);
  expect(one.elector.isHeld).toBe(false);
  one.elector.inherit(monotonicMs() + 2 * DEADLINE_MS);
  expect(one.elector.isHeld).toBe(false);
  one.elector.inherit(monotonicMs() + DEADLINE_MS / 2);
  expect(one.elector.isHeld).toBe(true);
  await until(() => one.changes.length === 2);
  expect(one.logged.join("").match(/Gave up the hub's lease/g)).toHaveLength(1);
});

const heldBy = (holder: string): LeaseRecord => ({
  holder,
  durationSeconds: DURATION_MS / 1000,
  transitions: 1,
  version: `of ${holder}`,
});

test("a hub that resumed its lease stops serving when another holds it, also when it loses it while it renews", async () => {
  const asked = candidateAt("one", {
    read: async () => heldBy("two"),
    write: () => Promise.reject(new Error("Another has it.")),
  });
  const reads = [heldBy("one"), heldBy("two")];
  const raced = candidateAt("one", {
    read: async () => reads.shift(),
    write: () => Promise.reject(new LeaseConflict()),
  });
  for (const { elector, changes } of [asked, raced]) {
    elector.inherit(monotonicMs() + DEADLINE_MS);
    await elector.start();
    expect(elector.isHeld).toBe(false);
    expect(changes.map(({ isHeld }) => isHeld)).toEqual([true, false]);
  }
});

test("a candidate that is stopped while it takes the lease never holds it", async () => {
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
  expect(one.changes).toEqual([]);
  expect(one.storedEnds).toEqual([]);
});

test("a refusal of the API server is logged with the server's message", async () => {
  const one = candidate("one");
  api.refusesWith(403, 'leases.coordination.k8s.io "fleet-tunnel-hub" is forbidden');
  await one.elector.start();
  expect(one.elector.isHeld).toBe(false);
  expect(one.logged.join("")).toMatch(/API server refuses .*403.*is forbidden/);
  api.refusesWith(undefined);
  await until(() => one.elector.isHeld);
});
