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

/** What `JSON.stringify` makes of a list, item by item; `write` is how an item is written. */
export function* listAsJson<Item>(
  items: Iterable<Item>,
  write: (item: Item) => string | undefined = (item) => JSON.stringify(item),
): Generator<string> {
  let before = "[";
  for (const item of items) {
    yield `${before}${write(item) ?? "null"}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** What `JSON.stringify` makes of a reply, the lists in it, and in its objects, item by item. */
export function* replyAsJson(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* listAsJson(value);
  else if (isPlain(value)) yield* objectAsJson(value);
  else yield JSON.stringify(value) ?? "null";
}

function* objectAsJson(object: object): Generator<string> {
  let before = "{";
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* replyAsJson(value);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
