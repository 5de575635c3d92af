import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { createMetrics } from "../platform/process/metrics";
import { LongReplies } from "./long-replies";

const MEGABYTE = 2 ** 20;

function start() {
  const registry = createMetrics("test");
  const limits = { HTTP_MAX_UNREAD_BYTES: 8 * MEGABYTE, HTTP_MAX_UNREAD_BYTES_PER_CALLER: 4 * MEGABYTE };
  const replies = new LongReplies(limits, registry);
  return {
    /** A request that leaves so much unread. */
    leave: (caller: string, bytes: number, reply = fakeReply()) =>
      replies.make(
        caller,
        async () => {
          replies.count(caller, bytes, reply);
          return reply;
        },
        new AbortController().signal,
      ),
    make: (caller: string, work: () => Promise<unknown>, from?: "database" | "store") =>
      replies.make(caller, work, new AbortController().signal, from),
    told: async () => {
      const text = await registry.metrics();
      const value = (name: string) => Number(new RegExp(`^${name}.* (\\d+)$`, "m").exec(text)?.[1]);
      return {
        unread: value("fleet_http_unread_reply_bytes"),
        ofCallers: value('fleet_http_long_replies_refused_total{reason="caller"'),
        ofProcess: value('fleet_http_long_replies_refused_total{reason="process"'),
        ofLines: value('fleet_http_long_replies_refused_total{reason="waiting"'),
      };
    },
  };
}

const fakeReply = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

test("a caller who leaves too much unread is refused until some of it is over, and others are not", async () => {
  const { leave, told } = start();
  const first = await leave("user 1", 3 * MEGABYTE);
  const second = await leave("user 1", 3 * MEGABYTE);
  await expect(leave("user 1", 1)).rejects.toMatchObject({
    code: "too_many_requests",
    message: expect.stringContaining("yet to read"),
    retryAfterSeconds: 5,
  });
  await leave("user 2", 1 * MEGABYTE);
  expect(await told()).toMatchObject({ unread: 7 * MEGABYTE, ofCallers: 1, ofProcess: 0 });
  first.emit("close");
  await leave("user 1", 1);
  second.emit("close");
  expect((await told()).unread).toBe(MEGABYTE);
});

test("one reply longer than all limits goes when nothing else is unread", async () => {
  const { leave, told } = start();
  const reply = await leave("user 1", 100 * MEGABYTE);
  expect((await told()).unread).toBe(100 * MEGABYTE);
  reply.emit("close");
  await leave("user 1", 100 * MEGABYTE);
});

test("while all callers together leave too much unread only who left nothing is served, and beyond twice as much nobody", async () => {
  const { leave, told } = start();
  const [first] = await Promise.all([1, 2, 3].map((id) => leave(`user ${id}`, 3 * MEGABYTE)));
  const overloaded = { code: "overloaded", retryAfterSeconds: 5 };
  await expect(leave("user 1", 1)).rejects.toMatchObject(overloaded);
  await leave("user 4", 3 * MEGABYTE);
  await leave("user 5", 4 * MEGABYTE);
  await expect(leave("user 6", 1)).rejects.toMatchObject(overloaded);
  expect(await told()).toMatchObject({ ofCallers: 0, ofProcess: 2 });
  first?.emit("close");
  await leave("user 6", 1);
});

test("short replies, and those whose caller is gone already, are not counted", async () => {
  const { leave, told } = start();
  await leave("user 1", 65_535);
  await leave("user 1", MEGABYTE, Object.assign(new EventEmitter(), { closed: true }) as never);
  expect((await told()).unread).toBe(0);
});

test.each(["database", "store"] as const)(
  "four are made at once from the %s, two of a caller; whoever asks for many waits behind others, and too many are refused",
  async (from) => {
    const { make, told } = start();
    let making = 0;
    let most = 0;
    const finish: (() => void)[] = [];
    const order: string[] = [];
    const ask = (caller: string) =>
      make(
        caller,
        async () => {
          most = Math.max(most, ++making);
          order.push(caller);
          await new Promise<void>((resolve) => finish.push(resolve));
          making -= 1;
        },
        from,
      );
    const many = Array.from({ length: 1_005 }, () => ask("user 1"));
    const refused = Promise.allSettled(many);
    const other = ask("user 2");
    await new Promise(setImmediate);
    for (let n = 0; n < 1_010; n++) {
      finish.shift()?.();
      await new Promise(setImmediate);
    }
    await other;
    const settled = await refused;
    expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(3);
    expect(order.slice(0, 3)).toEqual(["user 1", "user 1", "user 2"]);
    expect((await told()).ofLines).toBe(3);
  },
);

test("who waits for the object store holds the turn of nobody else", async () => {
  const { make } = start();
  let answer = () => {};
  const silent = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const waiting = Promise.all([1, 2, 3, 4, 5].map((id) => make(`user ${id}`, () => silent, "store")));
  expect(await make("user 6", async () => "a list")).toBe("a list");
  answer();
  await waiting;
});
