/**
 * An open two-way pipe of bytes to a vehicle. It is connected from the start, and one owner reads it.
 */
export interface ByteStream {
  /** Sends; false when the stream is closed and surely nothing was sent; `onClose` gives the reason. */
  write(bytes: Buffer): boolean;
  /** A chunk is valid during the call only. */
  onData(listener: (chunk: Buffer) => void): void;
  /** Reads nothing more until `resume`, so that the sender has to wait; chunks on their way may still come. */
  pause(): void;
  resume(): void;
  /** Called once, with the reason, whichever side ended it. Called at once if it already has. */
  onClose(listener: (reason: string) => void): void;
  /** Ends it. Bytes that were written and have not left this machine yet are never sent. */
  close(): void;
}

/** Where a vehicle is dialled. */
export interface LinkTarget {
  /** One link is kept per key: the drone's identity. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly via: "direct" | "jumphost";
  /** Fencing number, which lets the jumphost drop the pipe of a deposed holder. */
  readonly fence?: number;
}

/** Rejects with `vehicle_unreachable`; an aborted signal ends the attempt and whatever it opened. */
export type Dial = (target: LinkTarget, signal: AbortSignal) => Promise<ByteStream>;

/** The once-only close notice that every byte stream owes its owner. */
export class CloseNotice {
  private reason: string | undefined;
  private listeners: ((reason: string) => void)[] = [];

  get given(): boolean {
    return this.reason !== undefined;
  }

  on(listener: (reason: string) => void): void {
    if (this.reason !== undefined) listener(this.reason);
    else this.listeners.push(listener);
  }

  give(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) listener(reason);
  }
}
