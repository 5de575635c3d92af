/** What Redis says, in its protocol's second version. */
export type Reply = string | number | null | Error | readonly Reply[];

/** A reply longer than this is none of ours: the relay takes no frame over 64 KiB. */
const MOST_BYTES = 1_048_576;
const EMPTY = Buffer.alloc(0);

/** Cuts a byte stream from Redis into replies, in order. `push` throws a RangeError on what is none. */
export class ReplyReader {
  private rest: Buffer = EMPTY;

  constructor(private readonly onReply: (reply: Reply) => void) {}

  push(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    for (;;) {
      const parsed = parse(bytes, at);
      if (!parsed) break;
      at = parsed.end;
      this.onReply(parsed.reply);
    }
    this.rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : EMPTY;
    if (this.rest.length > MOST_BYTES) throw new RangeError("Redis sends more than a reply should have.");
  }
}

interface Parsed {
  readonly reply: Reply;
  readonly end: number;
}

/** Undefined while bytes are missing. */
function parse(bytes: Buffer, at: number): Parsed | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const end = lineEnd + 2;
  switch (bytes[at]) {
    case 0x2b: // +
      return { reply: line, end };
    case 0x2d: // -
      return { reply: new Error(line), end };
    case 0x3a: // :
      return { reply: Number(line), end };
    case 0x24: // $
      return bulk(bytes, Number(line), end);
    case 0x2a: // *
      return list(bytes, Number(line), end);
    default:
      throw new RangeError("Redis sends what is no reply.");
  }
}

function bulk(bytes: Buffer, length: number, start: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start };
  if (bytes.length < start + length + 2) return undefined;
  return { reply: bytes.toString("utf8", start, start + length), end: start + length + 2 };
}

function list(bytes: Buffer, length: number, start: number): Parsed | undefined {
  const replies: Reply[] = [];
  let end = start;
  for (let index = 0; index < length; index++) {
    const parsed = parse(bytes, end);
    if (!parsed) return undefined;
    replies.push(parsed.reply);
    end = parsed.end;
  }
  return { reply: replies, end };
}
