import type { Logger } from "../process/log";
import { ChangeListener, type ChangeListenerOptions } from "./change-listener";

export type HearsChanges = Pick<ChangeListenerOptions, "onChange" | "onReconnect">;

/** The changes of users and drones for everybody in this process who acts on them, over one connection. */
export class Changes {
  private readonly hearers: HearsChanges[] = [];
  private readonly listener: ChangeListener;

  constructor(databaseUrl: string, log: Logger) {
    this.listener = new ChangeListener(databaseUrl, {
      log,
      onChange: (change) => {
        for (const { onChange } of this.hearers) onChange(change);
      },
      onReconnect: () => {
        for (const { onReconnect } of this.hearers) onReconnect();
      },
    });
  }

  /** To be called before anything is awaited after the making, so that nothing is missed. */
  hear(hearer: HearsChanges): void {
    this.hearers.push(hearer);
  }

  get listening(): boolean {
    return this.listener.listening;
  }

  stop(): Promise<void> {
    return this.listener.stop();
  }
}
