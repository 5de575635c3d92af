import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "../../platform/redis/client";
import { atEndOfFile } from "../../testing/clean-up";
import { freshRedis, redisClient } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { LeaseStore } from "./lease-store";
import { Leases, type LossReason } from "./leases";

const TTL_MS = 900;

let redisUrl: string;
let direct: Redis;
let drones = 0;
let key: string;

beforeAll(async () => {
  redisUrl = (await freshRedis()).url;
  direct = await redisClient(redisUrl);
});
beforeEach(() => {
  key = `drone:${++drones}`;
});

interface Holding {
  readonly leases: Leases;
  readonly lost: LossReason[];
  readonly link: InterruptibleLink;
  needed: boolean;
}

async function replica(name: string, ttlMs = TTL_MS): Promise<Holding> {
  const link = await interruptibleLink(redisUrl);
  const lost: LossReason[] = [];
  const holding = { link, lost, needed: true };
  const leases = new Leases({
    store: new LeaseStore(await redisClient(link.url)),
    replica: name,
    ttlMs,
    needed: () => holding.needed,
    onLost: (_key, reason) => lost.push(reason),
  });
  leases.advertise(`http://${name}.example:1`);
  atEndOfFile(() => leases.stop());
  return Object.assign(holding, { leases });
}

const pair = () => Promise.all([replica("one"), replica("two")]);
const inRedis = () => direct.get(`fleet:link:{${key}}`);

test("of two that claim at once one is the holder, and both know which and where it is", async () => {
  const [one, two] = await pair();
  const [first, second] = await Promise.all([one.leases.claim(key), two.leases.claim(key)]);
  expect(first).toEqual(second);
  expect(first.url).toBe(`http://${first.replica}.example:1`);
  const holding = [one, two].filter(({ leases }) => leases.lease(key));
  expect(holding.map(({ leases }) => leases.replica)).toEqual([first.replica]);
});

test("a lease that is needed is renewed for as long", async () => {
  const one = await replica("one");
  const { fence } = await one.leases.claim(key);
  const later = performance.now() + 3 * TTL_MS;
  await until(() => performance.now() > later);
  expect(one.leases.lease(key)?.fence).toBe(fence);
  expect(await inRedis()).toContain(String(fence));
  expect(one.lost).toEqual([]);
});

test("a lease that is not needed is given up, and the next holder has a higher fence", async () => {
  const [one, two] = await pair();
  const { fence } = await one.leases.claim(key);
  one.needed = false;
  await until(async () => (await inRedis()) === null);
  expect(one.leases.lease(key)).toBeUndefined();
  expect((await two.leases.claim(key)).fence).toBeGreaterThan(fence);
});

test("a holder that does not reach Redis knows itself deposed before Redis forgets it", async () => {
  const one = await replica("one");
  const { fence } = await one.leases.claim(key);
  one.link.stall();
  let heldInRedis = true;
  while (one.leases.covers(key, fence)) {
    heldInRedis = (await inRedis()) !== null;
    expect(heldInRedis).toBe(true);
  }
  await until(() => one.lost.length > 0);
  expect(one.lost).toEqual(["expired"]);
  await expect(one.leases.claim(key)).rejects.toMatchObject({ code: "unavailable" });
  one.link.mend();
  expect((await until(() => one.leases.claim(key))).fence).toBeGreaterThan(fence);
});

test("a holder whose lease is another's in Redis lets go of it, and does not touch the other's", async () => {
  const one = await replica("one");
  await one.leases.claim(key);
  await direct.set(`fleet:link:{${key}}`, "three 9 http://three.example:1", "PX", 60_000);
  await until(() => one.lost.length > 0);
  expect(one.lost).toEqual(["taken"]);
  await one.leases.stop();
  expect(await inRedis()).toBe("three 9 http://three.example:1");
});

test("an answer that comes late is no word on the lease that was taken since", async () => {
  let answer: ((held: boolean) => void) | undefined;
  class SlowStore extends LeaseStore {
    override renew() {
      return new Promise<boolean[]>((resolve) => {
        answer = (held) => resolve([held]);
      });
    }
  }
  const lost: LossReason[] = [];
  const leases = new Leases({
    store: new SlowStore(direct),
    replica: "slow",
    ttlMs: TTL_MS,
    needed: () => true,
    onLost: (_key, reason) => lost.push(reason),
  });
  atEndOfFile(() => leases.stop());
  leases.advertise("http://slow.example:1");
  await leases.claim(key);
  await until(() => answer !== undefined);
  await leases.release(key, "closed");
  const { fence } = await leases.claim(key);
  answer?.(false);
  await new Promise(setImmediate);
  expect(leases.covers(key, fence)).toBe(true);
  expect(lost).toEqual([]);
});

test("a renewal counts from when it was asked, however late its answer comes", async () => {
  const ttlMs = 1_500;
  let renewals = 0;
  class LateStore extends LeaseStore {
    override async renew(...asked: Parameters<LeaseStore["renew"]>) {
      // Only the first is heard of.
      if (++renewals > 1) return new Promise<never>(() => {});
      const replies = await super.renew(...asked);
      await delay(ttlMs / 4);
      return replies;
    }
  }
  const leases = new Leases({
    store: new LateStore(direct),
    replica: "late",
    ttlMs,
    needed: () => true,
    onLost: () => {},
  });
  atEndOfFile(() => leases.stop());
  leases.advertise("http://late.example:1");
  const { fence } = await leases.claim(key);
  await until(async () => (await inRedis()) === null);
  expect(leases.covers(key, fence)).toBe(false);
  expect(renewals).toBeGreaterThan(0);
});

test("a renewal that Redis neither makes nor refuses takes no lease away", async () => {
  const store = new LeaseStore(direct);
  const holder = await store.claim(key, "one", "http://one.example:1", 5_000);
  const renew = () => store.renew([{ key, holder, endpoints: [] }], 5_000);
  expect(await renew()).toEqual([true]);
  await direct.call("ACL", "SETUSER", "default", "-pexpire");
  expect(await renew()).toEqual([undefined]);
  await direct.call("ACL", "SETUSER", "default", "+pexpire");
  await direct.del(`fleet:link:{${key}}`);
  expect(await renew()).toEqual([false]);
});

test("fences grow faster than the clock where they must, and with the clock when Redis forgot them", async () => {
  const store = new LeaseStore(direct);
  const fences: number[] = [];
  for (let n = 0; n < 50; n++)
    fences.push((await store.claim(key, "one", "http://one.example:1", 5_000)).fence);
  // Nobody claims a drone every millisecond for long: the clock overtakes the fences.
  await until(() => Date.now() > (fences.at(-1) as number));
  await direct.flushall();
  fences.push((await store.claim(key, "two", "http://two.example:1", 5_000)).fence);
  expect(fences.every((fence, at) => at === 0 || fence > (fences[at - 1] as number))).toBe(true);
  expect(Math.abs((fences.at(-1) as number) - Date.now())).toBeLessThan(60_000);
});

test("nothing is claimed before others know where to ask, nor after the stop, which gives all up", async () => {
  const store = new LeaseStore(direct);
  const silent = new Leases({ store, replica: "s", ttlMs: TTL_MS, needed: () => true, onLost: () => {} });
  await expect(silent.claim(key)).rejects.toMatchObject({ code: "unavailable" });
  silent.advertise("http://s.example:1");
  await silent.claim(key);
  await silent.stop();
  expect(await inRedis()).toBeNull();
  const late = new Leases({ store, replica: "l", ttlMs: 60_000, needed: () => true, onLost: () => {} });
  late.advertise("http://l.example:1");
  const claimed = late.claim(key);
  await late.stop();
  await expect(claimed).rejects.toMatchObject({ code: "unavailable" });
  expect(await inRedis()).toBeNull();
  await expect(silent.claim(key)).rejects.toMatchObject({ code: "unavailable" });
});

describe("a vehicle's endpoint", () => {
  const endpoint = () => `10.71.0.7:${drones}`;
  const hold = async ({ leases }: Holding, drone: string, ...endpoints: string[]) => {
    const { fence } = await leases.claim(drone);
    await leases.claimEndpoints(
      { key: drone, host: "10.71.0.7", port: drones, via: "direct", fence },
      endpoints,
    );
  };
  const drone = () => `${key}-another`;

  test("is one drone's at every replica for as long as it is held", async () => {
    const [one, two] = await pair();
    await hold(one, key, endpoint());
    for (const replica of [one, two]) {
      const another = `${drone()}-${replica.leases.replica}`;
      await expect(hold(replica, another, "free.example:1", endpoint())).rejects.toMatchObject({
        code: "vehicle_unreachable",
        message: expect.stringMatching(/^Another drone/),
      });
    }
    const later = performance.now() + 3 * TTL_MS;
    await until(() => performance.now() > later);
    await expect(hold(two, drone(), endpoint())).rejects.toThrow("Another drone");
    one.leases.releaseEndpoints(key);
    await until(() =>
      hold(two, drone(), endpoint()).then(
        () => true,
        () => false,
      ),
    );
    expect(one.lost).toEqual([]);
  });

  test("that was asked for together with another drone's is let go of at once", async () => {
    const one = await replica("one", 60_000);
    await hold(one, key, endpoint());
    await expect(hold(one, drone(), "free.example:1", endpoint())).rejects.toThrow("Another drone");
    await until(async () => (await direct.exists("fleet:vehicle:{free.example:1}")) === 0);
    await hold(one, `${drone()}-next`, "free.example:1");
  });

  test("goes with the drone to its next holder, and is free once its lease is given up", async () => {
    const [one, two] = await pair();
    await hold(one, key, endpoint());
    one.link.stall();
    await until(async () => (await two.leases.claim(key)).replica === "two");
    await hold(two, key, endpoint());
    one.link.mend();
    await until(() => one.lost.length > 0);
    await expect(hold(one, drone(), endpoint())).rejects.toThrow("Another drone");
    await two.leases.release(key, "closed");
    await hold(one, drone(), endpoint());
  });

  test("is not taken back by an earlier holder of its drone", async () => {
    const store = new LeaseStore(direct);
    const lease = (fence: number) => ({
      ...{ key, endpoints: [endpoint()] },
      holder: { replica: `holder ${fence}`, fence, url: "http://holder.example:1" },
    });
    const took: boolean[] = [];
    for (const fence of [9, 10, 9]) took.push(await store.claimEndpoints(lease(fence), 60_000));
    expect(took).toEqual([true, true, false]);
    expect(await direct.get(`fleet:vehicle:{${endpoint()}}`)).toBe(`${key} 10`);
  });

  test("that is another's in Redis takes the drone's lease with it", async () => {
    const one = await replica("one");
    await hold(one, key, endpoint());
    await direct.set(`fleet:vehicle:{${endpoint()}}`, "drone:0 9", "PX", 60_000);
    await until(() => one.lost.length > 0);
    expect(one.lost).toEqual(["taken"]);
    expect(await direct.get(`fleet:vehicle:{${endpoint()}}`)).toBe("drone:0 9");
  });

  test("is not to be had while Redis is away, nor without the drone's lease", async () => {
    const one = await replica("one");
    const { fence } = await one.leases.claim(key);
    const target = { key, host: "10.71.0.7", port: 1, via: "direct" } as const;
    await expect(
      one.leases.claimEndpoints({ ...target, fence: fence - 1 }, [endpoint()]),
    ).rejects.toMatchObject({
      code: "unavailable",
    });
    one.link.cut();
    await expect(one.leases.claimEndpoints({ ...target, fence }, [endpoint()])).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await direct.exists(`fleet:vehicle:{${endpoint()}}`)).toBe(0);
  });
});
