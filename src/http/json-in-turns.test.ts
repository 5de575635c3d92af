import { inTurns, listAsJson } from "./json-in-turns";

test.each([[[]], [[1]], [[{ at: new Date(0) }, null, undefined, 'a "quoted" \u2028 word', [1, [2]]]]])(
  "%j is written as JSON.stringify does",
  async (items: unknown[]) => {
    expect((await inTurns(listAsJson(items))).toString()).toBe(JSON.stringify(items));
  },
);

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
  expect(turns).toBeGreaterThan(1);
  expect(JSON.parse(written)).toEqual(long);
});

test("others' work is done while long texts that are JSON already become bytes, whatever their letters", async () => {
  const text = `"${"ü→𝄞 ".repeat(20_000)}"`;
  const texts = Array.from({ length: 300 }, () => text);
  const { turns, written } = await turnsMeanwhile(texts);
  expect(turns).toBeGreaterThan(1);
  expect(written === texts.join("")).toBe(true);
});
