import type { Channel } from "./wire/channel";
import { common } from "./wire/messages";

interface StatusLine {
  /** MAV_SEVERITY: 0 emergency … 7 debug. */
  readonly severity: number;
  readonly text: string;
}

/** How long a long text may miss a chunk before it is shown without it. */
const CHUNK_WAIT_MS = 1000;
const CHUNK_LENGTH = 50;

interface Pending {
  readonly severity: number;
  readonly chunks: Map<number, string>;
  readonly timer: NodeJS.Timeout;
}

/**
 * The vehicle's STATUSTEXT as whole lines. Texts of more than 50 characters come in chunks under one id; the
 * last is the one that is not full. When a chunk is lost, its place is marked.
 */
export class StatusTexts {
  private readonly listeners = new Set<(line: StatusLine) => void>();
  private readonly pending = new Map<number, Pending>();

  constructor(channel: Channel) {
    channel.on(common.StatusText, (message) => this.receive(message));
    channel.onClose(() => {
      for (const { timer } of this.pending.values()) clearTimeout(timer);
      this.pending.clear();
    });
  }

  on(listener: (line: StatusLine) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Collects the status texts from now on, or those among them that `matches` wants. */
  record(matches: (text: string) => boolean = () => true): StatusRecord {
    return new StatusRecord(this, matches);
  }

  private receive({ id, chunkSeq, severity, text }: common.StatusText): void {
    if (id === 0) {
      this.say({ severity, text });
      return;
    }
    const open = this.pending.get(id) ?? this.open(id, severity);
    open.chunks.set(chunkSeq, text);
    const last = [...open.chunks].find(([, chunk]) => chunk.length < CHUNK_LENGTH)?.[0];
    if (last !== undefined && open.chunks.size === last + 1) this.finish(id);
  }

  private open(id: number, severity: number): Pending {
    const timer = setTimeout(() => this.finish(id), CHUNK_WAIT_MS);
    const pending = { severity, chunks: new Map<number, string>(), timer };
    this.pending.set(id, pending);
    return pending;
  }

  private finish(id: number): void {
    const open = this.pending.get(id);
    if (!open) return;
    clearTimeout(open.timer);
    this.pending.delete(id);
    const count = Math.max(...open.chunks.keys()) + 1;
    const text = Array.from({ length: count }, (_, at) => open.chunks.get(at) ?? "[…]").join("");
    this.say({ severity: open.severity, text });
  }

  private say({ severity, text }: StatusLine): void {
    // PX4 marks by a tab at the end what it also sends as an EVENT.
    for (const listener of [...this.listeners]) listener({ severity, text: text.trimEnd() });
  }
}

/** MAV_SEVERITY_WARNING: texts that explain a refusal usually have this severity or a higher one. */
const WARNING = 4;
/** MAV_SEVERITY_NOTICE: texts below it are unrelated news. */
const NOTICE = 5;

export class StatusRecord {
  private readonly lines: StatusLine[] = [];
  private readonly stopListening: () => void;
  private onGrave: (() => void) | undefined;

  constructor(texts: StatusTexts, matches: (text: string) => boolean) {
    this.stopListening = texts.on((line) => {
      if (!matches(line.text)) return;
      this.lines.push(line);
      if (line.severity <= WARNING) this.onGrave?.();
    });
  }

  get texts(): string[] {
    return [...new Set(this.lines.map(({ text }) => text))];
  }

  /** The warnings. */
  get grave(): string[] {
    return [...new Set(this.lines.filter(({ severity }) => severity <= WARNING).map(({ text }) => text))];
  }

  /** What explains a refusal: the warnings, or the notices when there is none. */
  get reasons(): string[] {
    const upTo = (gravest: number) => this.lines.filter(({ severity }) => severity <= gravest);
    const warnings = upTo(WARNING);
    return [...new Set((warnings.length > 0 ? warnings : upTo(NOTICE)).map(({ text }) => text))];
  }

  /** Waits for an explanation: autopilots send the text after the acknowledgement as often as before it. */
  explained(withinMs: number): Promise<void> {
    if (this.lines.some(({ severity }) => severity <= WARNING)) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.onGrave = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  stop(): void {
    this.stopListening();
  }
}
