import { createServer } from "node:http";
import Koa from "koa";
import { inTurns, listAsJson, replyAsJson } from "./json-in-turns";
import { mountRoutes } from "./mount";
import { JsonText, route } from "./route";
import type { Guards } from "./route-guards";
import { closeServer, listen } from "./server/listen";

/** At each look at the clock a turn is over, however fast the machine: what is counted is that turns are taken. */
beforeEach(() => {
  let now = 0;
  jest.spyOn(performance, "now").mockImplementation(() => {
    now += 11;
    return now;
  });
});
afterEach(() => jest.restoreAllMocks());

test.each([[[]], [[1]], [[{ at: new Date(0) }, null, undefined, 'a "quoted" \u2028 word', [1, [2]]]]])(
  "%j is written as JSON.stringify does",
  async (items: unknown[]) => {
    expect((await inTurns(listAsJson(items))).toString()).toBe(JSON.stringify(items));
  },
);

test.each([
  [{}],
  [{ a: undefined, b: null, 'c"': [], d: { e: [{ f: 1 }, undefined], g: {}, h: undefined } }],
  [{ at: new Date(0), list: [new Date(0)], text: "ü" }],
  ["text"],
  [null],
])("%j is written as a reply as JSON.stringify does", async (reply: unknown) => {
  expect((await inTurns(replyAsJson(reply))).toString()).toBe(JSON.stringify(reply));
});

/** How often others had their turn while this was written. */
async function turnsMeanwhile(texts: Iterable<string>): Promise<{ turns: number; written: string }> {
  let turns = 0;
  let done = false;
  const count = () => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const written = (await inTurns(texts)).toString();
  done = true;
  return { turns, written };
}

test("others' work is done while a long list is written", async () => {
  const long = Array.from({ length: 4_000 }, (_, id) => ({ id, text: "x".repeat(5_000) }));
  const { turns, written } = await turnsMeanwhile(listAsJson(long));
  expect(turns).toBeGreaterThan(1_000);
  expect(JSON.parse(written)).toEqual(long);
});

test("others' work is done while long texts that are JSON already become bytes, whatever their letters", async () => {
  const text = `"${"ü→𝄞 ".repeat(20_000)}"`;
  const texts = Array.from({ length: 300 }, () => text);
  const { turns, written } = await turnsMeanwhile(texts);
  expect(turns).toBeGreaterThan(100);
  expect(written === texts.join("")).toBe(true);
});

test("a route's list, one within its reply, and its ready JSON go out in turns, in either envelope", async () => {
  const items = Array.from({ length: 4_000 }, (_, id) => ({ id, text: "x".repeat(5_000) }));
  const texts = items.map((item, at) => `${at === 0 ? "[" : ","}${JSON.stringify(item)}`);
  const routeOf = (path: string, envelope: "A" | "B", handle: () => unknown) =>
    route({
      method: "get",
      path,
      tag: "t",
      summary: "s",
      guard: "public",
      envelope,
      success: { status: 200 },
      handle,
    });
  const routes = [
    routeOf("/a", "A", () => items),
    routeOf("/b", "B", () => items),
    routeOf("/within", "B", () => ({ data: items })),
    routeOf("/texts", "B", () => new JsonText([...texts, "]"])),
  ];
  const guards = { public: () => undefined } as unknown as Guards;
  const mounted = mountRoutes(routes, { basePath: "", guards, bodyLimitBytes: 100 });
  let turns = 0;
  const app = new Koa().use(async (ctx, next) => {
    let [counted, going] = [0, true];
    const count = () => {
      counted += 1;
      if (going) setImmediate(count);
    };
    setImmediate(count);
    await mounted(ctx, next);
    going = false;
    turns = counted;
  });
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  for (const path of ["/a", "/b", "/within", "/texts"]) {
    const body = (await (await fetch(url + path)).json()) as { data: unknown };
    expect(body.data ?? body).toHaveLength(4_000);
    expect(turns).toBeGreaterThan(1_000);
  }
  await closeServer(server);
});
