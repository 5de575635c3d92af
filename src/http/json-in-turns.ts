import { Turns } from "../platform/turns";

/** Text that is put together before it becomes bytes, which is most of the work. */
const PIECE_CHARACTERS = 65_536;

/** The texts one after the other in UTF-8, with room for others' work between them: they may be tens of megabytes. */
export async function inTurns(texts: Iterable<string>): Promise<Buffer> {
  const written: Buffer[] = [];
  let piece = "";
  const turns = new Turns();
  for (const text of texts) {
    piece += text;
    if (piece.length >= PIECE_CHARACTERS) {
      written.push(Buffer.from(piece));
      piece = "";
    }
    if (turns.over) await turns.next();
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
