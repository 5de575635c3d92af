import { setImmediate as turn } from "node:timers/promises";
import { Lane } from "./lane";

/** Work that waits for a word at each run, and keeps what it was asked. */
function gated() {
  const runs: number[][] = [];
  const gates: ((error?: Error) => void)[] = [];
  const lane = new Lane<number[], number>(
    (ask) =>
      new Promise((resolve, reject) => {
        runs.push(ask);
        gates.push((error) => (error ? reject(error) : resolve(runs.length)));
      }),
    (a, b) => [...a, ...b],
  );
  return { lane, runs, gates };
}

test("what is asked for while it runs is one further run, and never two at a time", async () => {
  const { lane, runs, gates } = gated();
  const first = lane.run([1]);
  await turn();
  const [second, third] = [lane.run([2]), lane.run([3])];
  await turn();
  expect(runs).toEqual([[1]]);
  gates[0]?.();
  await expect(first).resolves.toBe(1);
  await turn();
  expect(runs).toEqual([[1], [2, 3]]);
  gates[1]?.();
  await expect(Promise.all([second, third])).resolves.toEqual([2, 2]);
});

test("a run that fails tells whoever asked for it, and the next one runs", async () => {
  const { lane, runs, gates } = gated();
  const first = lane.run([1]);
  const failure = expect(first).rejects.toThrow("no");
  await turn();
  const second = lane.run([2]);
  gates[0]?.(new Error("no"));
  await failure;
  await turn();
  gates[1]?.();
  await second;
  expect(runs).toEqual([[1], [2]]);
});

test("an idle lane runs at once, and a stream of asks becomes few runs", async () => {
  const runs: number[] = [];
  const lane = new Lane<void, void>(
    async () => {
      runs.push(performance.now());
    },
    () => undefined,
    100,
  );
  for (let asked = 0; asked < 20; asked++) {
    await turn();
    void lane.run();
    if (asked === 1) expect(runs).toHaveLength(1);
  }
  await lane.run();
  expect(runs).toHaveLength(2);
  // A timer of 100 ms may come a moment early.
  expect((runs[1] as number) - (runs[0] as number)).toBeGreaterThan(98);
});
