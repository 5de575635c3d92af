import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

/** From -1 to 1: right, forward, up, clockwise. */
export interface Axes {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}

const CENTRED: Axes = { roll: 0, pitch: 0, throttle: 0, yaw: 0 };
const EVERY_MS = 50;

/** The drone's acknowledgement of a frame; see `docs/onboard.md`. */
interface Answer {
  readonly type: string;
  readonly accepted?: boolean;
  readonly reason?: string | null;
  readonly age_ms?: number | null;
}

/** A gamepad on the relay, as a browser has one: the sticks as they are held, twenty times a second. */
export class Gamepad {
  private readonly session = randomUUID();
  private axes = CENTRED;
  private timer: NodeJS.Timeout | undefined;
  /** Milliseconds, of each frame that was acted on. */
  readonly ages: number[] = [];
  /** Why the last frame was not acted on. */
  refusal: string | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data) => {
      const answer = readAnswer(String(data));
      if (answer) this.receive(answer);
    });
    socket.on("error", () => {});
    socket.on("close", (code, reason) => {
      this.refusal = `the relay closed the session (${code} ${reason})`;
    });
  }

  static async plugIn(relay: string, droneId: number, token: string): Promise<Gamepad> {
    const socket = new WebSocket(`${relay}/redispad/${droneId}?access_token=${token}`);
    const gamepad = new Gamepad(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", (cause) => reject(new Error(`The relay at ${relay} does not answer.`, { cause })));
    });
    return gamepad;
  }

  /** Axes that are not named are centred. */
  hold(axes: Partial<Axes>): void {
    this.axes = { ...CENTRED, ...axes };
    this.timer ??= setInterval(() => {
      if (this.socket.readyState !== WebSocket.OPEN) return;
      const frame = { t: performance.now(), session: this.session, axes: this.axes, buttons: [] };
      this.socket.send(JSON.stringify(frame));
    }, EVERY_MS);
  }

  /** Stops sending, as when a pilot's network fails. */
  letGo(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  unplug(): void {
    this.letGo();
    this.socket.removeAllListeners("close");
    this.socket.terminate();
  }

  private receive({ type, accepted, reason, age_ms }: Answer): void {
    if (type !== "ack") return;
    if (accepted) this.ages.push(age_ms ?? Number.NaN);
    else this.refusal = reason ?? undefined;
  }
}

/** Undefined for text that is not a JSON object: other clients may publish on the drone's channel too. */
function readAnswer(text: string): Answer | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? (read as Answer) : undefined;
  } catch {
    return undefined;
  }
}
