import { setImmediate as turn } from "node:timers/promises";

/** What may be done at one go. */
const TURN_MS = 10;

/** As `JSON.stringify` makes it, in UTF-8, with room for others' work between items: a list may be tens of megabytes. */
export async function listAsJson(items: readonly unknown[]): Promise<Buffer> {
  const written: Buffer[] = [];
  let text = "[";
  let since = performance.now();
  for (const [at, item] of items.entries()) {
    text += `${at === 0 ? "" : ","}${JSON.stringify(item) ?? "null"}`;
    if (performance.now() - since < TURN_MS) continue;
    written.push(Buffer.from(text));
    text = "";
    await turn();
    since = performance.now();
  }
  return Buffer.concat([...written, Buffer.from(`${text}]`)]);
}
