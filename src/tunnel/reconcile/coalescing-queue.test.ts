import { setImmediate as turn } from "node:timers/promises";
import { CoalescingQueue } from "./coalescing-queue";

/** Work that waits for a word at each run, and keeps what it was asked. */
function gated() {
  const runs: number[][] = [];
  const gates: ((error?: Error) => void)[] = [];
  const queue = new CoalescingQueue<number[], number>(
    (ask) =>
      new Promise((resolve, reject) => {
        runs.push(ask);
        gates.push((error) => (error ? reject(error) : resolve(runs.length)));
      }),
    (a, b) => [...a, ...b],
  );
  return { queue, runs, gates };
}

test("requests that arrive during a run become one further run, and no two runs overlap", async () => {
  const { queue, runs, gates } = gated();
  const first = queue.enqueue([1]);
  await turn();
  const [second, third] = [queue.enqueue([2]), queue.enqueue([3])];
  await turn();
  expect(runs).toEqual([[1]]);
  gates[0]?.();
  await expect(first).resolves.toBe(1);
  await turn();
  expect(runs).toEqual([[1], [2, 3]]);
  gates[1]?.();
  await expect(Promise.all([second, third])).resolves.toEqual([2, 2]);
});

test("a run that fails rejects its requests, and the next one runs", async () => {
  const { queue, runs, gates } = gated();
  const first = queue.enqueue([1]);
  const failure = expect(first).rejects.toThrow("no");
  await turn();
  const second = queue.enqueue([2]);
  gates[0]?.(new Error("no"));
  await failure;
  await turn();
  gates[1]?.();
  await second;
  expect(runs).toEqual([[1], [2]]);
});

test("an idle queue runs at once, and a stream of requests becomes few runs", async () => {
  const runs: number[] = [];
  const queue = new CoalescingQueue<void, void>(
    async () => {
      runs.push(performance.now());
    },
    () => undefined,
    100,
  );
  for (let asked = 0; asked < 20; asked++) {
    await turn();
    void queue.enqueue();
    if (asked === 1) expect(runs).toHaveLength(1);
  }
  await queue.enqueue();
  expect(runs).toHaveLength(2);
  // A timer of 100 ms may come a moment early.
  expect((runs[1] as number) - (runs[0] as number)).toBeGreaterThan(98);
});
