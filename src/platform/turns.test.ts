import { mapInTurns } from "./turns";

/** Milliseconds of work that leaves no room by itself. */
function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test("others' work comes between the pieces of a long one, whose results are in order", async () => {
  let [going, others] = [true, 0];
  const beside = () => {
    others += 1;
    if (going) setImmediate(beside);
  };
  setImmediate(beside);
  const made = await mapInTurns([1, 2, 3, 4, 5], async (item) => {
    busy(11);
    return item * 2;
  });
  going = false;
  expect(made).toEqual([2, 4, 6, 8, 10]);
  expect(others).toBeGreaterThanOrEqual(5);
});

test("the first error is told, and nothing that would follow is done", async () => {
  const done: number[] = [];
  const work = mapInTurns([1, 2, 3], (item) => {
    if (item === 2) throw new Error("no two");
    done.push(item);
  });
  await expect(work).rejects.toThrow("no two");
  expect(done).toEqual([1]);
});
