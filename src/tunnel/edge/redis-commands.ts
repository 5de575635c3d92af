/** One command as Redis reads it: its words, and the very bytes it came in. */
export interface Command {
  readonly words: readonly Buffer[];
  readonly bytes: Buffer;
}

/** A stick answer, a video message or a marker list is far smaller. */
const MOST_BYTES = 131_072;
const MOST_WORDS = 64;
const EMPTY = Buffer.alloc(0);
const plainNumber = /^(0|[1-9]\d{0,6})$/;

/**
 * Cuts what a drone sends into commands. It takes one form only, `*N` and N times `$length`, in plain numbers:
 * what Redis would read differently, inline commands among it, is a RangeError.
 */
export class CommandReader {
  private rest: Buffer = EMPTY;

  /** Commands that are whole now, in order. Throws a RangeError on what is none. */
  *push(chunk: Buffer): Generator<Command> {
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    for (let command = this.next(); command; command = this.next()) {
      this.rest = this.rest.subarray(command.bytes.length);
      yield command;
    }
    if (this.rest.length > MOST_BYTES) throw new RangeError("A command is too long.");
    // A view on a chunk would keep all of the chunk.
    this.rest = Buffer.from(this.rest);
  }

  private next(): Command | undefined {
    const { rest } = this;
    const head = number(rest, 0, "*");
    if (!head) return undefined;
    if (head.value < 1 || head.value > MOST_WORDS) throw new RangeError("A command has too many words.");
    const words: Buffer[] = [];
    let at = head.end;
    for (let index = 0; index < head.value; index++) {
      const length = number(rest, at, "$");
      if (!length) return undefined;
      if (length.value > MOST_BYTES) throw new RangeError("A command is too long.");
      const end = length.end + length.value;
      if (rest.length < end + 2) return undefined;
      if (rest[end] !== 0x0d || rest[end + 1] !== 0x0a) throw new RangeError("A word has no end.");
      words.push(rest.subarray(length.end, end));
      at = end + 2;
    }
    return { words, bytes: rest.subarray(0, at) };
  }
}

/** `*12\r\n` → 12. Undefined while bytes are missing. */
function number(bytes: Buffer, at: number, sign: "*" | "$"): { value: number; end: number } | undefined {
  if (at >= bytes.length) return undefined;
  if (bytes[at] !== sign.charCodeAt(0)) throw new RangeError("This is no command in Redis's own protocol.");
  // Sign, seven digits, CR and LF.
  const line = bytes.toString("latin1", at + 1, Math.min(bytes.length, at + 10));
  const end = line.indexOf("\r\n");
  if (end < 0) {
    if (line.length >= 9 || !/^\d*\r?$/.test(line)) throw new RangeError("A length is no plain number.");
    return undefined;
  }
  const text = line.slice(0, end);
  if (!plainNumber.test(text)) throw new RangeError("A length is no plain number.");
  return { value: Number(text), end: at + 1 + end + 2 };
}

/** Most words that each may have, its own included. */
const allowed: Readonly<Record<string, number>> = {
  ping: 2,
  subscribe: MOST_WORDS,
  unsubscribe: MOST_WORDS,
  publish: 3,
  quit: 1,
  // A version of the protocol, and nothing behind it: AUTH would follow there.
  hello: 2,
  // Clients ask these as they connect; Redis refuses them to a drone's user, and clients go on.
  info: 2,
  client: 4,
};

/** Whether a drone may say this to Redis at all. AUTH, RESET, ACL and whatever else is refused here. */
export function mayGo({ words: [first, second, ...rest] }: Command): boolean {
  const name = (first ?? EMPTY).toString("latin1").toLowerCase();
  const most = Object.hasOwn(allowed, name) ? (allowed[name] as number) : 0;
  if (1 + (second ? 1 : 0) + rest.length > most) return false;
  return name !== "hello" || second === undefined || /^[23]$/.test(second.toString("latin1"));
}
