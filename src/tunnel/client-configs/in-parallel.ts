import { Semaphore } from "../../platform/semaphore";

/** Run `work` for each item, `width` at a time. Resolves with the failures; one failure stops no other item. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<Error[]> {
  const running = new Semaphore(width);
  const results = await Promise.allSettled(Array.from(items, (item) => running.run(() => work(item))));
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
}
