/** A pilot whose frames are published. While Redis owes it too many replies its socket is not read. */
export interface Source {
  /** Published bytes without a reply. */
  unacknowledged: number;
  pause(): void;
  resume(): void;
}

/**
 * A source is paused above this many unacknowledged bytes: a flood waits at its own sender, not in front of other
 * pilots' frames. A pilot's 20 frames a second never come near it.
 */
const WINDOW_BYTES = 16_384;

interface Command {
  readonly source: Source | undefined;
  readonly size: number;
  writtenAt: number | undefined;
}

/** Commands that Redis has not replied to, in order: replies carry no names. */
export class PendingReplies {
  private commands: Command[] = [];
  private head = 0;
  private written = 0;
  private readonly paused = new Set<Source>();
  bytes = 0;

  get count(): number {
    return this.commands.length - this.head;
  }

  /** When the oldest command was written; undefined without one. */
  get oldestAt(): number | undefined {
    return this.commands[this.head]?.writtenAt;
  }

  /** Without a source: a command of the relay's own. */
  add(source: Source | undefined, size: number): void {
    this.commands.push({ source, size, writtenAt: undefined });
    this.bytes += size;
    if (!source) return;
    source.unacknowledged += size;
    if (source.unacknowledged <= WINDOW_BYTES || this.paused.has(source)) return;
    this.paused.add(source);
    source.pause();
  }

  /** All added commands are written now. */
  markWritten(at: number): void {
    for (; this.written < this.commands.length; this.written++) this.commands[this.written]!.writtenAt = at;
  }

  /** Redis replied to the oldest command. */
  acknowledge(): void {
    const command = this.commands[this.head];
    if (!command) return;
    this.head++;
    if (this.head > 4_096 && this.head * 2 > this.commands.length) {
      this.commands = this.commands.slice(this.head);
      this.written -= this.head;
      this.head = 0;
    }
    const { source, size } = command;
    this.bytes -= size;
    if (!source) return;
    source.unacknowledged -= size;
    if (source.unacknowledged <= WINDOW_BYTES / 2 && this.paused.delete(source)) source.resume();
  }

  /** The connection is lost: there will be no replies. */
  clear(): void {
    for (const { source } of this.commands) if (source) source.unacknowledged = 0;
    for (const source of this.paused) source.resume();
    this.paused.clear();
    this.commands = [];
    this.head = 0;
    this.written = 0;
    this.bytes = 0;
  }
}
