import { setImmediate as turn } from "node:timers/promises";

/** What may be done at one go. */
const TURN_MS = 10;
/** Text that is put together before it becomes bytes, which is most of the work. */
const PIECE_CHARACTERS = 65_536;

/** The texts one after the other in UTF-8, with room for others' work between them: they may be tens of megabytes. */
export async function inTurns(texts: Iterable<string>): Promise<Buffer> {
  const written: Buffer[] = [];
  let piece = "";
  let since = performance.now();
  for (const text of texts) {
    piece += text;
    if (piece.length >= PIECE_CHARACTERS) {
      written.push(Buffer.from(piece));
      piece = "";
    }
    if (performance.now() - since < TURN_MS) continue;
    await turn();
    since = performance.now();
  }
  const last = Buffer.from(piece);
  return written.length === 0 ? last : Buffer.concat([...written, last]);
}

/** What `JSON.stringify` makes of a list, item by item. */
export function* listAsJson(items: Iterable<unknown>): Generator<string> {
  let before = "[";
  for (const item of items) {
    yield `${before}${JSON.stringify(item) ?? "null"}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
