import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { FrameData } from "../../../live/live";

/** By MAV_SEVERITY: 0 to 3, 4, 5 to 7. */
export type Gravity = "error" | "warning" | "info";

export const gravityOf = (severity: number): Gravity =>
  severity <= 3 ? "error" : severity === 4 ? "warning" : "info";

export interface Message {
  readonly id: number;
  readonly gravity: Gravity;
  readonly text: string;
  /** The last time. */
  readonly at: Date;
  /** How often it came one after the other. */
  readonly times: number;
}

const MOST = 300;

/** The vehicle's status texts since the page was opened, the newest first. */
export class MessageLog {
  private readonly kept = signal<readonly Message[]>([]);
  private readonly worst = signal<Message | undefined>(undefined);
  private nextId = 1;

  get messages(): ReadonlySignal<readonly Message[]> {
    return this.kept;
  }

  /** The newest error. It stays until another comes. */
  get newestError(): ReadonlySignal<Message | undefined> {
    return this.worst;
  }

  readonly counts = computed(() => {
    const counts: Record<Gravity, number> = { error: 0, warning: 0, info: 0 };
    for (const { gravity, times } of this.kept.value) counts[gravity] += times;
    return counts;
  });

  add({ severity, text }: FrameData<"logs">): void {
    const kept = this.kept.peek();
    const gravity = gravityOf(severity);
    const [newest] = kept;
    const isRepeated = newest?.text === text && newest.gravity === gravity;
    const message: Message = isRepeated
      ? { ...newest, at: new Date(), times: newest.times + 1 }
      : { id: this.nextId++, gravity, text, at: new Date(), times: 1 };
    this.kept.value = [message, ...kept.slice(isRepeated ? 1 : 0, MOST - 1)];
    if (gravity === "error") this.worst.value = message;
  }
}
