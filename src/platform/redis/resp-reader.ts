/** A part of RESP2 that has no parts of its own; a bulk string is a buffer. */
type Item = Buffer | string | number | null | Error;
/** A reply of Redis, or a command to it, in RESP2. */
export type Reply = Item | readonly Item[];

/** Replies to subscribers have four items. */
const MAX_ITEMS = 64;
/** The relay accepts no frame over 64 KiB. */
const MAX_BULK_BYTES = 1_048_576;
const EMPTY = Buffer.alloc(0);

interface Parsed<Value> {
  readonly value: Value;
  readonly end: number;
}

/**
 * Cuts a byte stream in RESP2 into replies, in order. `push` throws a RangeError on other bytes, on a list within a list,
 * and on more than `maxBytes` without an end.
 */
export class RespReader {
  private rest: Buffer = EMPTY;

  constructor(
    private readonly onReply: (reply: Reply) => void,
    private readonly maxBytes = MAX_BULK_BYTES,
  ) {}

  push(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    for (let parsed = parse(bytes, at); parsed; parsed = parse(bytes, at)) {
      at = parsed.end;
      this.onReply(parsed.value);
    }
    if (bytes.length - at > this.maxBytes) throw new RangeError("A message in Redis's protocol is too long.");
    // A view on the chunk would keep all of it.
    this.rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : EMPTY;
  }
}

/** Undefined while bytes are missing. */
function parse(bytes: Buffer, at: number): Parsed<Reply> | undefined {
  if (bytes[at] !== LIST) return parseItem(bytes, at);
  const count = lineAt(bytes, at);
  if (!count) return undefined;
  const items: Item[] = [];
  let { end } = count;
  for (const most = lengthIn(count.value, MAX_ITEMS); items.length < most; ) {
    const item = parseItem(bytes, end);
    if (!item) return undefined;
    items.push(item.value);
    end = item.end;
  }
  return { value: items, end };
}

function parseItem(bytes: Buffer, at: number): Parsed<Item> | undefined {
  const kind = bytes[at];
  if (kind === undefined) return undefined;
  if (!KINDS.includes(kind)) throw new RangeError("This is not Redis's own protocol.");
  const line = lineAt(bytes, at);
  if (!line) return undefined;
  const { value: text, end: start } = line;
  if (kind === TEXT) return line;
  if (kind === ERROR) return { value: new Error(text), end: start };
  if (kind === NUMBER) return { value: Number(text), end: start };
  if (text === "-1") return { value: null, end: start };
  const last = start + lengthIn(text, MAX_BULK_BYTES);
  if (bytes.length < last + 2) return undefined;
  if (bytes.toString("latin1", last, last + 2) !== "\r\n") throw new RangeError("A bulk string has no end.");
  return { value: bytes.subarray(start, last), end: last + 2 };
}

const [LIST, TEXT, ERROR, NUMBER, BULK] = [...Buffer.from("*+-:$")] as [
  number,
  number,
  number,
  number,
  number,
];
const KINDS = [TEXT, ERROR, NUMBER, BULK];

/** The text between a kind's sign and the line's end. */
function lineAt(bytes: Buffer, at: number): Parsed<string> | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  return lineEnd < 0 ? undefined : { value: bytes.toString("utf8", at + 1, lineEnd), end: lineEnd + 2 };
}

function lengthIn(text: string, most: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) > most)
    throw new RangeError("A length in Redis's protocol is wrong.");
  return Number(text);
}
