/** One command as Redis reads it: its words, and its bytes as they came. */
export interface Command {
  readonly words: readonly Buffer[];
  readonly bytes: Buffer;
}

/** Stick answers, video messages and marker lists are far smaller. */
const MAX_BYTES = 131_072;
const MAX_WORDS = 64;

/**
 * Splits a drone's bytes into commands of one form only: `*N` and N times `$length`, in plain numbers. Any other form,
 * such as an inline command, is a RangeError, so that Redis reads no command that was not checked here.
 */
export class CommandReader {
  private rest: Buffer = Buffer.alloc(0);

  /** Commands that are complete now, in order. Throws a RangeError. */
  *push(chunk: Buffer): Generator<Command> {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (let command = this.next(); command; command = this.next()) {
      this.rest = this.rest.subarray(command.bytes.length);
      yield command;
    }
    if (this.rest.length > MAX_BYTES) throw new RangeError("A command is too long.");
    // A view on a chunk would keep all of the chunk.
    this.rest = Buffer.from(this.rest);
  }

  private next(): Command | undefined {
    const { rest } = this;
    const count = readLength(rest, 0, "*");
    if (!count) return undefined;
    if (count.value < 1 || count.value > MAX_WORDS) throw new RangeError("A command has too many words.");
    const words: Buffer[] = [];
    let at = count.end;
    while (words.length < count.value) {
      const length = readLength(rest, at, "$");
      if (!length) return undefined;
      if (length.value > MAX_BYTES) throw new RangeError("A command is too long.");
      const end = length.end + length.value;
      if (rest.length < end + 2) return undefined;
      if (rest.toString("latin1", end, end + 2) !== "\r\n") throw new RangeError("A word has no end.");
      words.push(rest.subarray(length.end, end));
      at = end + 2;
    }
    return { words, bytes: rest.subarray(0, at) };
  }
}

const complete = /^[*$](0|[1-9]\d{0,6})\r\n/;
const incomplete = /^[*$](?:0|[1-9]\d{0,6})?\r?$/;

/** `*12\r\n` → 12 and where the next part begins. Undefined while bytes are missing. */
function readLength(bytes: Buffer, at: number, sign: "*" | "$"): { value: number; end: number } | undefined {
  const line = bytes.toString("latin1", at, at + 10);
  if (line === "") return undefined;
  const [head, digits] = complete.exec(line) ?? [];
  if (line[0] === sign && head) return { value: Number(digits), end: at + head.length };
  if (line[0] === sign && incomplete.test(line)) return undefined;
  throw new RangeError("This is not a command in Redis's own protocol.");
}

/** Clients ask INFO and CLIENT as they connect; Redis denies them to a drone's user, and clients go on. */
const allowed = new Set(["ping", "subscribe", "unsubscribe", "publish", "quit", "hello", "info", "client"]);

/**
 * Whether Redis may see the command. Redis's ACL restricts a drone's commands and channels, but cannot deny AUTH, RESET
 * and HELLO with AUTH, which change the user: HELLO is forwarded with a version and nothing behind it.
 */
export function isAllowed({ words: [first, ...rest] }: Command): boolean {
  const name = String(first).toLowerCase();
  if (name === "hello") return rest.length === 0 || (rest.length === 1 && /^[23]$/.test(String(rest[0])));
  return allowed.has(name);
}
