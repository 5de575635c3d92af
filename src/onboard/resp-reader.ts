/** A reply of Redis (RESP2). */
export type Reply = string | number | null | Error | readonly Reply[];

/** The relay accepts no frame over 64 KiB, so a longer reply is an error. */
const MAX_BYTES = 1_048_576;
const EMPTY = Buffer.alloc(0);

interface Parsed {
  readonly reply: Reply;
  readonly end: number;
}

/** Cuts a byte stream from Redis into replies, in order. `push` throws a RangeError on bytes that are not RESP2. */
export class RespReader {
  private rest: Buffer = EMPTY;

  constructor(private readonly onReply: (reply: Reply) => void) {}

  push(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    for (let parsed = parse(bytes, at); parsed; parsed = parse(bytes, at)) {
      at = parsed.end;
      this.onReply(parsed.reply);
    }
    this.rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : EMPTY;
    if (this.rest.length > MAX_BYTES) throw new RangeError("A reply of Redis is too long.");
  }
}

/** Undefined while bytes are missing. */
function parse(bytes: Buffer, at: number): Parsed | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const end = lineEnd + 2;
  const kind = String.fromCharCode(bytes[at] ?? 0);
  if (kind === "+") return { reply: line, end };
  if (kind === "-") return { reply: new Error(line), end };
  if (kind === ":") return { reply: Number(line), end };
  if (kind === "$") return bulk(bytes, Number(line), end);
  if (kind === "*") return list(bytes, Number(line), end);
  throw new RangeError("A reply of Redis is not RESP2.");
}

function bulk(bytes: Buffer, length: number, start: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start };
  const end = start + length + 2;
  return bytes.length < end ? undefined : { reply: bytes.toString("utf8", start, end - 2), end };
}

function list(bytes: Buffer, length: number, start: number): Parsed | undefined {
  const replies: Reply[] = [];
  let end = start;
  while (replies.length < length) {
    const parsed = parse(bytes, end);
    if (!parsed) return undefined;
    replies.push(parsed.reply);
    end = parsed.end;
  }
  return { reply: replies, end };
}
