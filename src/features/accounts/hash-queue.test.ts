import { type HashCaller, HashQueue } from "./hash-queue";

const caller = (site: string, isKnown = false): HashCaller => ({ site, isKnown });

test("known callers go first, and one site takes a share of the queue only", async () => {
  const queue = new HashQueue();
  const order: string[] = [];
  const waiting: Promise<unknown>[] = [];
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = queue.run(caller("x"), () => held);
  const refused: unknown[] = [];
  const add = (name: string, who: HashCaller) =>
    waiting.push(queue.run(who, async () => void order.push(name)).catch((error) => refused.push(error)));
  for (let n = 0; n < 40; n++) add("flood", caller("2001:db8:0::/48"));
  add("unknown", caller("192.0.2.1"));
  add("owner", caller("203.0.113.5", true));
  await new Promise(setImmediate);
  expect(refused).toEqual(Array(8).fill(expect.objectContaining({ code: "too_many_requests" })));
  end();
  await Promise.all([first, ...waiting]);
  expect([order[0], order.at(-1), order.length]).toEqual(["owner", "unknown", 34]);
});

test("a flood of known callers lets an unknown one pass at the second turn", async () => {
  const queue = new HashQueue();
  const order: string[] = [];
  const first = queue.run(caller("x"), () => Promise.resolve());
  const run = (name: string, who: HashCaller) => queue.run(who, async () => void order.push(name));
  const flood = Array.from({ length: 30 }, () => run("flood", caller("192.0.2.1", true)));
  await Promise.all([first, ...flood, run("unknown", caller("203.0.113.5"))]);
  expect(order.slice(0, 3)).toEqual(["flood", "unknown", "flood"]);
});
