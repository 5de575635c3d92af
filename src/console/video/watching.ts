import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../../client/api-error";
import { type FleetClient, reply } from "../../client/client";
import { errorText } from "../parts/error-text";
import { strings } from "../strings";
import { type Received, UnplayableError, Viewer } from "./viewer";

/**
 * looking: whether the stream is on already → off or watching
 * off → starting (the drone is asked to send) → waiting (its camera does not send yet, or the media server is away)
 * → connecting (the first frame is on its way) → playing → lost (no frame comes) → playing, or waiting for another
 * connection. `stop` and a stream that was stopped elsewhere lead to off.
 */
export type VideoState = "looking" | "off" | "starting" | "waiting" | "connecting" | "playing" | "lost";

export type Picture = Omit<Received, "frames">;

/** Without a frame for so long, the picture is stale. */
const STALE_MS = 1_500;
/** Then another connection is begun: nobody tells that a camera or the media server is gone. */
const GIVE_UP_MS = 5_000;
const LOOK_MS = 250;
/** The media server forgets a viewer after 60 s. */
const KEEP_ALIVE_MS = 20_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

/** The video of one drone, from `open` to `close`. */
export class Watching {
  private readonly current = signal<VideoState>("looking");
  private readonly begun = signal(performance.now());
  private readonly words = signal("");
  private readonly shown = signal<MediaStream | undefined>(undefined);
  private readonly size = signal<Picture | undefined>(undefined);
  /** The connection that is begun or plays. */
  private viewer: Viewer | undefined;
  /** The connection whose last frame is on the screen. */
  private onScreen: Viewer | undefined;
  /** Of the newest start or stop: what an older one still does is ignored. */
  private turn = 0;
  private readonly leave = () => this.close();

  constructor(
    private readonly api: FleetClient["api"],
    private readonly droneId: number,
  ) {}

  /** Shows a stream that is on already. */
  open(): void {
    addEventListener("pagehide", this.leave);
    void this.look(this.next("looking"));
  }

  get state(): ReadonlySignal<VideoState> {
    return this.current;
  }

  /** When the state began, or the last frame came: milliseconds of `performance.now()`. */
  get since(): ReadonlySignal<number> {
    return this.begun;
  }

  /** Why there is no video, in the gateway's words. Empty when there is nothing to say. */
  get reason(): ReadonlySignal<string> {
    return this.words;
  }

  /** The last frame of a lost connection stays until the next one brings a frame. */
  get stream(): ReadonlySignal<MediaStream | undefined> {
    return this.shown;
  }

  get picture(): ReadonlySignal<Picture | undefined> {
    return this.size;
  }

  /** Asks the drone to send, and watches. */
  async start(): Promise<void> {
    const turn = this.next("starting");
    try {
      // Its computer may have been started after the room was made.
      const params = { path: { drone_id: this.droneId }, query: { update: true } };
      const { listeners, message } = await reply(this.api.GET("/video_room/{drone_id}/start", { params }));
      if (!this.isCurrent(turn)) return;
      this.words.value = listeners > 0 ? "" : message;
      await this.watch(turn);
    } catch (error) {
      if (this.isCurrent(turn)) this.turnOff(wordsOf(error));
    }
  }

  /** Watches no more. The drone goes on sending, for others. */
  stop(): void {
    this.next("off");
  }

  /** Asks the drone to send no more. */
  async stopCamera(): Promise<void> {
    this.stop();
    const { turn } = this;
    try {
      const params = { path: { drone_id: this.droneId } };
      await reply(this.api.GET("/video_room/{drone_id}/stop", { params }));
    } catch (error) {
      if (this.isCurrent(turn)) this.words.value = wordsOf(error);
    }
  }

  /** As `stop`, until `open`. */
  close(): void {
    removeEventListener("pagehide", this.leave);
    this.stop();
  }

  private async look(turn: number): Promise<void> {
    try {
      await this.join(turn);
    } catch (error) {
      const isOff = isNotStarted(error) || isSilent(error);
      if (this.isCurrent(turn)) this.turnOff(isOff ? "" : wordsOf(error));
      return;
    }
    await this.watch(turn);
  }

  /** Until the turn is over, or the stream was stopped. */
  private async watch(turn: number): Promise<void> {
    let pause = MIN_PAUSE_MS;
    while (this.isCurrent(turn)) {
      try {
        if (!this.viewer) await this.join(turn);
        if (this.viewer) await this.follow(turn, this.viewer);
        pause = MIN_PAUSE_MS;
      } catch (error) {
        if (!this.isCurrent(turn)) return;
        if (isNotStarted(error) || error instanceof UnplayableError) return this.turnOff(wordsOf(error));
        this.wait(error);
        await delay(pause);
        pause = isSilent(error) ? MIN_PAUSE_MS : Math.min(2 * pause, MAX_PAUSE_MS);
      }
    }
  }

  private async join(turn: number): Promise<void> {
    const viewer = await Viewer.open(this.api, this.droneId);
    if (!this.isCurrent(turn)) {
      viewer.close();
      return;
    }
    this.viewer = viewer;
    if (this.current.peek() !== "lost") this.enter("connecting");
  }

  /** Shows what comes, until nothing came for a while or the media server has forgotten the viewer. */
  private async follow(turn: number, viewer: Viewer): Promise<void> {
    let frames = 0;
    let last = performance.now();
    let kept = last;
    let isForgotten = false;
    while (!isForgotten && performance.now() - last < GIVE_UP_MS) {
      const received = await viewer.received();
      if (!this.isCurrent(turn)) return;
      const now = performance.now();
      if (received && received.frames > frames) {
        frames = received.frames;
        last = now;
        this.show(viewer, received);
      } else if (this.current.peek() === "playing" && now - last > STALE_MS) {
        this.enter("lost", last);
      }
      if (now - kept > KEEP_ALIVE_MS) {
        kept = now;
        viewer.keepAlive().catch((error: unknown) => {
          isForgotten = isNotStarted(error);
        });
      }
      await delay(LOOK_MS);
    }
    if (!this.isCurrent(turn)) return;
    if (frames === 0) this.words.value = strings.video.noMedia;
    if (viewer === this.onScreen) viewer.end();
    else viewer.close();
    this.viewer = undefined;
  }

  private show(viewer: Viewer, { width, height, rate }: Received): void {
    if (viewer !== this.onScreen) {
      this.shown.value = viewer.stream;
      this.onScreen?.close();
      this.onScreen = viewer;
    }
    this.size.value = { width, height, rate };
    this.words.value = "";
    if (this.current.peek() !== "playing") this.enter("playing");
  }

  /** What was seen stays lost: its age goes on. */
  private wait(error: unknown): void {
    if (this.current.peek() !== "lost" && this.current.peek() !== "waiting") this.enter("waiting");
    // The state says it, and the reason may be that nobody on the drone listens.
    if (!isSilent(error)) this.words.value = wordsOf(error);
  }

  private turnOff(reason: string): void {
    this.viewer?.close();
    this.onScreen?.close();
    this.viewer = undefined;
    this.onScreen = undefined;
    this.shown.value = undefined;
    this.size.value = undefined;
    this.words.value = reason;
    this.enter("off");
  }

  private enter(state: VideoState, since = performance.now()): void {
    this.current.value = state;
    this.begun.value = since;
  }

  private next(state: VideoState): number {
    this.turnOff("");
    this.enter(state);
    this.turn += 1;
    return this.turn;
  }

  private isCurrent(turn: number): boolean {
    return turn === this.turn;
  }
}

/** The stream was not started, or the viewer has ended. */
const isNotStarted = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
/** The camera does not send yet. */
const isSilent = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

const wordsOf = (error: unknown): string =>
  error instanceof UnplayableError ? strings.video.unplayable : errorText(error);

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
