import { setImmediate } from "node:timers/promises";

/** Some milliseconds. */
const SIGNED_AT_ONCE = 20;

/** What `sign` makes of each item. Signing thousands of URLs takes a second, during which other requests are served. */
export async function signEach<Item, Signed>(
  items: readonly Item[],
  sign: (item: Item) => Promise<Signed>,
): Promise<Signed[]> {
  const signed: Signed[] = [];
  for (const item of items) {
    signed.push(await sign(item));
    if (signed.length % SIGNED_AT_ONCE === 0) await setImmediate();
  }
  return signed;
}
