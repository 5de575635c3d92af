import { elementsOf, type Pair } from "./pairs";

/** Elements to add to the set and to delete from it, and the pairs that may not be opened yet. */
export interface PairsDifference {
  readonly opened: Set<string>;
  readonly closed: Set<string>;
  readonly withheld: Set<Pair>;
}

/** Between the pairs desired and those open. A port that two pairs of the same addresses share stays. */
export function difference(
  desired: ReadonlySet<Pair>,
  open: ReadonlySet<Pair>,
  mayOpen: (pair: Pair) => boolean,
): PairsDifference {
  const opened = new Set<string>();
  const closed = new Set<string>();
  const withheld = new Set<Pair>();
  for (const pair of open)
    if (!desired.has(pair)) for (const element of elementsOf(pair)) closed.add(element);
  for (const pair of desired) {
    if (open.has(pair)) continue;
    if (!mayOpen(pair)) {
      withheld.add(pair);
      continue;
    }
    for (const element of elementsOf(pair)) {
      opened.add(element);
      closed.delete(element);
    }
  }
  return { opened, closed, withheld };
}

/**
 * Between the pairs desired and the elements that the kernel holds. A pair of which it holds any was open
 * before: the rest of its ports let nobody new through.
 */
export function differenceInKernel(
  desired: ReadonlySet<Pair>,
  held: ReadonlySet<string>,
  mayOpen: (pair: Pair) => boolean,
): PairsDifference {
  const opened = new Set<string>();
  const closed = new Set(held);
  const withheld = new Set<Pair>();
  for (const pair of desired) {
    const elements = elementsOf(pair);
    const missing = elements.filter((element) => !closed.delete(element));
    if (missing.length === elements.length && !mayOpen(pair)) withheld.add(pair);
    else for (const element of missing) opened.add(element);
  }
  return { opened, closed, withheld };
}

export function countElements(pairs: ReadonlySet<Pair>): number {
  let count = 0;
  for (const pair of pairs) count += elementsOf(pair).length;
  return count;
}
