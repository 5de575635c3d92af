import { FairQueue } from "./fair-queue";

/** One piece at a time, and each ends when the test says so; `begun` names them in the order in which they began. */
function queue(mostWaiting: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = new FairQueue({ atOnce: 1, mostWaiting, refusal: () => new Error("full") });
  const come = (name: string, gone?: AbortSignal) => {
    const work = () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    };
    return queue.run(name.charAt(0), work, gone).catch(({ message }: Error) => message);
  };
  /** The one that is worked on; false when none is. */
  const endFirst = async () => {
    const end = ends.shift();
    end?.();
    await new Promise(setImmediate);
    return end !== undefined;
  };
  /** All of them, one after the other. */
  const runOut = async () => {
    while (await endFirst());
  };
  return { begun, come, runOut, endFirst };
}

test("lines take turns, however long one of them is", async () => {
  const { begun, come, runOut } = queue(10);
  const all = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map((name) => come(name));
  await runOut();
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "a4", "b1", "c1", "b2"]);
});

test("where too many wait the last of the longest line is turned away, and the newest among equals", async () => {
  const { begun, come, runOut } = queue(2);
  const long = ["a1", "a2", "a3"].map((name) => come(name));
  const other = come("b1");
  expect(await long[2]).toBe("full");
  expect(await come("c1")).toBe("full");
  await runOut();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  expect(await other).toBe("b1");
});

test("who leaves before the turn is not worked for, and the place is another's", async () => {
  const { begun, come, runOut } = queue(1);
  const leaving = new AbortController();
  void come("a1");
  const left = come("a2", leaving.signal);
  leaving.abort();
  expect(await left).toBe("full");
  expect(await come("a3", leaving.signal)).toBe("full");
  void come("b1");
  await runOut();
  expect(begun).toEqual(["a1", "b1"]);
});

test("who leaves while it is worked for gives no place away, and those behind have their turns", async () => {
  const { begun, come, runOut, endFirst } = queue(1);
  const leaving = new AbortController();
  void come("a1");
  const worked = come("a2", leaving.signal);
  await endFirst();
  expect(begun).toEqual(["a1", "a2"]);
  leaving.abort();
  const behind = come("b1");
  expect(await come("c1")).toBe("full");
  await runOut();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  expect(await Promise.all([worked, behind])).toEqual(["a2", "b1"]);
});

test("work that fails makes room for the next", async () => {
  const failing = new FairQueue({ atOnce: 1, mostWaiting: 0, refusal: () => new Error("full") });
  await expect(failing.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await failing.run("a", async () => "done")).toBe("done");
});
