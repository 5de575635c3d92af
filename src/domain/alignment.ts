import { diffArrays } from "diff";

/** A row and the item on board in its place, by their indexes. One of them is undefined where the other has no partner. */
export interface Pair {
  readonly row: number | undefined;
  readonly item: number | undefined;
}

/** Rows and items without a partner, up to which partners are searched for: some 10 ms. */
const MOST_EDITS = 500;

/**
 * Puts rows and items on board beside each other, both in their order. Those that agree are partners. The others are
 * partners by their place: before the first that agree they are counted backwards from there, else forwards. Plans that
 * have little in common are put side by side as they are.
 */
export function align(
  rows: number,
  items: number,
  agree: (row: number, item: number) => boolean,
): readonly Pair[] {
  const options = { comparator: agree, maxEditLength: MOST_EDITS };
  const changes = diffArrays([...Array(rows).keys()], [...Array(items).keys()], options);
  const pairs: Pair[] = [];
  let [row, item] = [0, 0];
  const pairUntil = (nextRow: number, nextItem: number) => {
    while (row < nextRow || item < nextItem)
      pairs.push({
        row: row < nextRow ? row++ : undefined,
        item: item < nextItem ? item++ : undefined,
      });
  };
  let [agreedRow, agreedItem] = [0, 0];
  for (const { count, added, removed } of changes ?? []) {
    if (removed) agreedRow += count;
    else if (added) agreedItem += count;
    else {
      const surplus = pairs.length === 0 ? agreedItem - agreedRow : 0;
      pairUntil(Math.max(row, -surplus), Math.max(item, surplus));
      pairUntil(agreedRow, agreedItem);
      agreedRow += count;
      agreedItem += count;
      pairUntil(agreedRow, agreedItem);
    }
  }
  pairUntil(rows, items);
  return pairs;
}
