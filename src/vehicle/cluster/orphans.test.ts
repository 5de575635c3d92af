import type { Redis } from "../../platform/redis/client";
import { atEndOfFile } from "../../testing/clean-up";
import { freshRedis, redisClient } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { LeaseStore } from "./lease-store";
import { Leases } from "./leases";
import { Orphans } from "./orphans";

const TTL_MS = 600;

let url: string;
let direct: Redis;
beforeEach(async () => {
  url = (await freshRedis()).url;
  direct = await redisClient(url);
});

/** A killed one reaches Redis no more. */
async function replica(name: string, isStopping = false) {
  const link = await interruptibleLink(url);
  const redis = await redisClient(link.url);
  const adopted: string[] = [];
  const orphans = new Orphans({
    redis,
    replica: name,
    ttlMs: TTL_MS,
    adopt: async (keys) => {
      adopted.push(...keys);
      if (isStopping) throw new Error("The server is shutting down.");
      return Promise.all(keys.map((key) => leases.claim(key)));
    },
  });
  const leases = new Leases({
    store: new LeaseStore(redis),
    replica: name,
    ttlMs: TTL_MS,
    needed: () => true,
    onLost: () => {},
    observers: [orphans],
  });
  leases.advertise(`http://${name}.example:1`);
  const end = async () => {
    orphans.end();
    await leases.stop();
  };
  atEndOfFile(end);
  await until(async () => (await direct.exists(`fleet:replica:{${name}}`)) === 1);
  return { leases, adopted, kill: () => link.cut(), end };
}

const holderOf = async (key: string) => (await direct.get(`fleet:link:{${key}}`))?.split(" ")[0];

test("the links of a killed replica are another's once its leases have lapsed, each of them once", async () => {
  const one = await replica("one");
  const [two, three] = await Promise.all([replica("two"), replica("three")]);
  for (const key of ["drone:1", "drone:2"]) await one.leases.claim(key);
  await until(async () => (await direct.scard("fleet:replica:{one}:links")) === 2);
  one.kill();
  await until(async () => {
    const holders = await Promise.all(["drone:1", "drone:2"].map(holderOf));
    return holders.every((holder) => holder === "two" || holder === "three");
  });
  expect(two.leases.size + three.leases.size).toBe(2);
  await until(async () => (await direct.sismember("fleet:replicas", "one")) === 0);
  expect(await direct.exists("fleet:replica:{one}:links")).toBe(0);
});

test("a replica that cannot open the links leaves them to another one", async () => {
  const [one, stopping] = await Promise.all([replica("one"), replica("stopping", true)]);
  await one.leases.claim("drone:1");
  await until(async () => (await direct.scard("fleet:replica:{one}:links")) === 1);
  one.kill();
  await until(() => stopping.adopted.length > 0);
  await replica("two");
  await until(async () => (await holderOf("drone:1")) === "two");
});

test("links that a replica gave up are nobody's, and it leaves nothing behind", async () => {
  const [one, two] = await Promise.all([replica("one"), replica("two")]);
  for (const key of ["drone:1", "drone:2"]) await one.leases.claim(key);
  await one.leases.release("drone:1", "idle");
  await one.end();
  await until(async () => (await direct.keys("fleet:replica:{one}*")).length === 0);
  expect(await direct.smembers("fleet:replicas")).toEqual(["two"]);
  expect(two.adopted).toEqual([]);
  expect(await holderOf("drone:2")).toBeUndefined();
});

test("a replica that lives keeps its links", async () => {
  const [one, two] = await Promise.all([replica("one"), replica("two")]);
  await one.leases.claim("drone:1");
  await direct.del("fleet:replica:{one}");
  await until(async () => two.adopted.length > 0 || (await direct.exists("fleet:replica:{one}")) === 1);
  expect(await holderOf("drone:1")).toBe("one");
  expect(two.leases.size).toBe(0);
});
