import { setImmediate as later } from "node:timers/promises";
import { KeyedMutex, Semaphore } from "./semaphore";

/** Tasks that note their start and run until they are ended. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { begun, task, end: (name: string) => ends.get(name)?.() };
}

test("so many tasks run at a time, the others in their order", async () => {
  const { begun, task, end } = tasks();
  const semaphore = new Semaphore(2);
  const all = ["a", "b", "c", "d"].map((name) => semaphore.run(task(name)));
  await later();
  expect([begun, semaphore.waiting]).toEqual([["a", "b"], 2]);
  end("b");
  await later();
  expect([begun, semaphore.waiting]).toEqual([["a", "b", "c"], 1]);
  for (const name of ["a", "c"]) end(name);
  await later();
  end("d");
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  expect([semaphore.isIdle, semaphore.waiting]).toEqual([true, 0]);
});

test("a task that fails rejects for its caller alone and lets the next one run", async () => {
  const semaphore = new Semaphore(1);
  const fails = semaphore.run(() => Promise.reject(new Error("this one")));
  const next = semaphore.run(async () => "the next");
  await expect(fails).rejects.toThrow("this one");
  await expect(next).resolves.toBe("the next");
});

test("a permit that was taken in its turn counts, also when tasks come while it is passed on", async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire();
  const second = semaphore.acquire();
  release();
  const third = jest.fn();
  void semaphore.acquire().then(third);
  const releaseSecond = await second;
  await later();
  expect(third).not.toHaveBeenCalled();
  releaseSecond();
  await later();
  expect(third).toHaveBeenCalledTimes(1);
});

test("keys exclude only themselves, and a key that is used again after it was free as well", async () => {
  const { begun, task, end } = tasks();
  const mutex = new KeyedMutex<number>();
  void mutex.run(1, task("first of 1"));
  void mutex.run(1, task("second of 1"));
  void mutex.run(2, task("first of 2"));
  await later();
  expect(begun).toEqual(["first of 1", "first of 2"]);
  end("first of 1");
  await later();
  void mutex.run(1, task("third of 1"));
  await later();
  expect(begun).toEqual(["first of 1", "first of 2", "second of 1"]);
  end("second of 1");
  await later();
  expect(begun.at(-1)).toBe("third of 1");
});
