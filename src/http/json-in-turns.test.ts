import { listAsJson } from "./json-in-turns";

test.each([[[]], [[1]], [[{ at: new Date(0) }, null, undefined, 'a "quoted" \u2028 word', [1, [2]]]]])(
  "%j is written as JSON.stringify does",
  async (items: unknown[]) => {
    expect((await listAsJson(items)).toString()).toBe(JSON.stringify(items));
  },
);

test("others' work is done while a long list is written", async () => {
  const long = Array.from({ length: 4_000 }, (_, id) => ({ id, text: "x".repeat(5_000) }));
  let turns = 0;
  let done = false;
  const count = () => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const written = await listAsJson(long);
  done = true;
  expect(turns).toBeGreaterThan(1);
  expect(JSON.parse(written.toString())).toEqual(long);
});
