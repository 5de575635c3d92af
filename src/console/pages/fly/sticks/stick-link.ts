import { type ReadonlySignal, signal } from "@preact/signals";
import type { components } from "../../../../client/message-types";
import { randomName } from "../../../parts/random-name";
import { strings } from "../../../strings";
import { areCentred, type StickSource } from "./axes";
import { closingOf } from "./close-codes";

type Frame = components["schemas"]["redispad_sticks"];
type Acknowledgement = components["schemas"]["redispad_ack"];
type FromDrone = Acknowledgement | components["schemas"]["redispad_status"];

const text = strings.fly.sticks;

/** Twenty frames a second. */
const EVERY_MS = 50;
/** An old frame is worth nothing: none is sent while so many bytes wait for the network. */
const MOST_WAITING_BYTES = 2_048;
/** Before the relay is dialled again, longer each time. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 5_000];
const MOST_BUTTONS = 16;

/**
 * off: no frame is sent and no socket is open. connecting → centring (the sticks must be let go once) → sending.
 * A socket that the relay closes leads to connecting again, or off; `docs/relay.md` says which code does which.
 */
export type StickState = "off" | "connecting" | "centring" | "sending";

/** What the drone said last of a frame. */
export interface FrameAnswer {
  /** Milliseconds from reading the sticks to the drone's answer. */
  readonly roundTrip: number;
  readonly acknowledgement: Acknowledgement;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** The drone answers each frame: twenty answers a second. */
const LATE_MS = 1_000;

/** Whether frames are sent and no answer comes. `now`: milliseconds of `performance.now()`. */
export const isLate = ({ state, answer }: Pick<StickLink, "state" | "answer">, now: number): boolean =>
  state.value === "sending" && (!answer.value || now - answer.value.at > LATE_MS);

interface Options {
  /** Where the relay is reached with a valid token now. */
  readonly address: () => string;
  /** For a token that was refused. */
  readonly refreshToken: () => Promise<void>;
}

/** The pilot's sticks on their way to one drone, off until they are turned on. */
export class StickLink {
  private readonly current = signal<StickState>("off");
  private readonly cause = signal("");
  private readonly answered = signal<FrameAnswer | undefined>(undefined);
  private readonly counted = signal(0);
  private socket: WebSocket | undefined;
  private source: StickSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause: ReturnType<typeof setTimeout> | undefined;
  private isTokenRefreshed = false;
  private pauseMs = FIRST_PAUSE_MS;
  private session = "";

  constructor(private readonly options: Options) {}

  get state(): ReadonlySignal<StickState> {
    return this.current;
  }
  /** Why they are off, or connect anew. Empty when the pilot turned them off. */
  get reason(): ReadonlySignal<string> {
    return this.cause;
  }
  get answer(): ReadonlySignal<FrameAnswer | undefined> {
    return this.answered;
  }
  /** Frames that were sent since the sticks were turned on. */
  get sent(): ReadonlySignal<number> {
    return this.counted;
  }

  turnOn(source: StickSource): void {
    this.turnOff();
    this.source = source;
    this.counted.value = 0;
    this.isTokenRefreshed = false;
    this.pauseMs = FIRST_PAUSE_MS;
    this.connect();
  }

  /** Frames stop at once, which the drone notices within half a second. */
  turnOff(reason = ""): void {
    this.cause.value = reason;
    if (this.current.peek() === "off") return;
    this.current.value = "off";
    this.closeSocket();
    clearTimeout(this.pause);
    this.source?.end();
    this.source = undefined;
    this.answered.value = undefined;
  }

  private connect(): void {
    this.current.value = "connecting";
    this.session = randomName();
    const socket = new WebSocket(this.options.address());
    this.socket = socket;
    socket.onopen = () => {
      this.current.value = "centring";
      this.timer = setInterval(() => this.step(socket), EVERY_MS);
    };
    socket.onmessage = ({ data }) => this.hear(String(data));
    socket.onclose = ({ code }) => {
      if (this.socket === socket) void this.closed(code);
    };
  }

  private step(socket: WebSocket): void {
    const sticks = this.source?.read();
    if (!sticks) {
      this.turnOff(text.released.gone);
      return;
    }
    if (this.current.peek() === "centring") {
      if (!areCentred(sticks.axes)) return;
      this.current.value = "sending";
      this.cause.value = "";
    }
    if (socket.bufferedAmount > MOST_WAITING_BYTES) return;
    const frame: Frame = {
      t: performance.now(),
      session: this.session,
      axes: sticks.axes,
      buttons: sticks.buttons.slice(0, MOST_BUTTONS),
    };
    socket.send(JSON.stringify(frame));
    this.counted.value += 1;
  }

  private hear(message: string): void {
    const said = read(message);
    if (said?.type !== "ack" || said.session !== this.session || said.t === null) return;
    const at = performance.now();
    this.answered.value = { roundTrip: at - said.t, acknowledgement: said, at };
    this.isTokenRefreshed = false;
    this.pauseMs = FIRST_PAUSE_MS;
  }

  private async closed(code: number): Promise<void> {
    this.closeSocket();
    const closing = closingOf(code);
    // A second refusal of one token after another is no matter of its age.
    if (closing.next === "stop" || (closing.next === "anew" && this.isTokenRefreshed)) {
      this.turnOff(closing.text);
      return;
    }
    this.current.value = "connecting";
    this.cause.value = closing.text;
    this.answered.value = undefined;
    if (closing.next === "anew") {
      this.isTokenRefreshed = true;
      await this.options.refreshToken().catch(() => undefined);
    }
    if (this.current.peek() !== "connecting" || this.socket) return;
    this.pause = setTimeout(() => this.connect(), closing.next === "again" ? this.pauseMs : 0);
    this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
  }

  private closeSocket(): void {
    clearInterval(this.timer);
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }
}

/** The drone's own program answers, through the relay: what is no message of it is ignored. */
function read(message: string): FromDrone | undefined {
  try {
    const said: unknown = JSON.parse(message);
    return typeof said === "object" && said !== null ? (said as FromDrone) : undefined;
  } catch {
    return undefined;
  }
}
