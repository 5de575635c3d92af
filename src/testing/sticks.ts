import { randomUUID } from "node:crypto";

interface Axes {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}

const CENTRED: Axes = { roll: 0, pitch: 0, throttle: 0, yaw: 0 };

/** A pilot's gamepad as a browser sends it: the sticks as they are held, twenty times a second. */
export class TestSticks {
  session: string = randomUUID();
  private axes = CENTRED;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly send: (frame: string) => void) {}

  /** Axes that are not named are centred. */
  hold(axes: Partial<Axes>): void {
    this.axes = { ...CENTRED, ...axes };
    this.timer ??= setInterval(() => this.send(this.frame()), 50);
  }

  /** Stops sending frames. */
  letGo(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  frame(t = performance.now()): string {
    return JSON.stringify({ t, session: this.session, axes: this.axes, buttons: [] });
  }
}
