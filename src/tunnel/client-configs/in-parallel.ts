/** Run `work` for each item, `width` at a time. Resolves with the failures; one failure stops no other item. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<Error[]> {
  const failures: Error[] = [];
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error as Error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return failures;
}
