import { SharedReads } from "./shared-reads";

function controlled() {
  const reads = new SharedReads<number, number>();
  const begun: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const read = () => new Promise<number>((resolve, reject) => begun.push({ resolve, reject }));
  return { begun, ask: (key = 1) => reads.read(key, read) };
}

test("callers that ask during a reading share the next one", async () => {
  const { begun, ask } = controlled();
  const first = ask();
  const others = [ask(), ask(), ask()];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(begun).toHaveLength(2);
  const late = ask();
  begun[1]?.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  await Promise.resolve();
  begun[2]?.resolve(3);
  expect(await late).toBe(3);
  void ask();
  expect(begun).toHaveLength(4);
});

test("a reading that fails does not fail the next one, and other keys do not wait", async () => {
  const { begun, ask } = controlled();
  const first = ask();
  const second = ask();
  const other = ask(2);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve(20);
  expect(await other).toBe(20);
  begun[0]?.reject(new Error("no database"));
  await expect(first).rejects.toThrow("no database");
  await Promise.resolve();
  begun[2]?.resolve(2);
  expect(await second).toBe(2);
});
