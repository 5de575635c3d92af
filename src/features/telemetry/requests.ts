import { DomainError, isDomainError } from "../../domain/errors";
import { describeIssues } from "../../http/validate";
import type { Logger } from "../../platform/process/log";
import type { LinkTarget } from "../../vehicle";
import type { FeedBoard } from "./feed-board";
import { StreamRequest } from "./stream-request";
import { roomOf } from "./streams";
import type { Watcher } from "./watcher";

/** Requests of one socket that may wait their turn. */
const MAX_WAITING_REQUESTS = 100;

export interface WatchedDrone {
  readonly target: LinkTarget;
}

/** The live drone for a user who may watch it; rejects with `not_found`, or when it cannot be dialled. */
export type FindWatched = (userId: number, droneId: number) => Promise<WatchedDrone>;

export interface RequestOptions {
  /** Drones times streams that one socket may watch. */
  readonly maxStreams: number;
  /** The watcher watches more or less from now on. */
  readonly changed: () => void;
}

/** What one watcher asks for, one request after another, so that the last word counts. */
export class Requests {
  private turn: Promise<void> = Promise.resolve();
  private waiting = 0;
  private gone = false;

  constructor(
    private readonly watcher: Watcher,
    private readonly userId: number,
    private readonly board: FeedBoard,
    private readonly find: FindWatched,
    private readonly log: Logger,
    private readonly options: RequestOptions,
  ) {}

  subscribe(asked: unknown): void {
    this.enqueue(asked, async ({ drone_id, stream_type }) => {
      const { socket } = this.watcher;
      const room = roomOf(drone_id, stream_type);
      const isNew = !socket.rooms.has(room);
      if (isNew && socket.rooms.size > this.options.maxStreams) {
        throw new DomainError(
          "too_many_requests",
          `A socket may watch ${this.options.maxStreams} streams at most.`,
        );
      }
      if (!(await this.watch(drone_id, stream_type))) return;
      socket.emit("subscription_confirmed", { status: "subscribed", stream_type, drone_id });
      // Who asks for the same again has been told the newest frame.
      if (isNew) this.board.greet(drone_id, this.watcher, stream_type);
      this.options.changed();
    });
  }

  /** What the watcher watched before a drop of the network, if it still may. */
  resume(streams: readonly StreamRequest[]): void {
    this.next(async () => {
      for (const { drone_id, stream_type } of streams.slice(0, this.options.maxStreams)) {
        try {
          if (!(await this.watch(drone_id, stream_type))) return;
          this.board.greet(drone_id, this.watcher, stream_type);
        } catch (error) {
          this.failed(error);
        }
      }
      this.options.changed();
    });
  }

  unsubscribe(asked: unknown): void {
    this.enqueue(asked, async ({ drone_id, stream_type }) => {
      this.board.unwatch(drone_id, this.watcher, stream_type);
      this.watcher.socket.emit("subscription_confirmed", { status: "unsubscribed", stream_type, drone_id });
      this.options.changed();
    });
  }

  /** The socket is gone: what still waits is not done. */
  end(): void {
    this.gone = true;
    this.board.forget(this.watcher);
  }

  private enqueue(asked: unknown, run: (request: StreamRequest) => Promise<void>): void {
    const parsed = StreamRequest.safeParse(asked);
    if (!parsed.success) {
      this.watcher.tell(describeIssues("payload", parsed.error));
      return;
    }
    if (this.waiting >= MAX_WAITING_REQUESTS) {
      this.watcher.tell("Too many requests at once.");
      return;
    }
    this.next(() => run(parsed.data));
  }

  /** Returns whether the socket is still there. */
  private async watch(droneId: number, stream: StreamRequest["stream_type"]): Promise<boolean> {
    const { target } = await this.find(this.userId, droneId);
    if (!this.gone) this.board.watch(droneId, target, this.watcher, stream);
    return !this.gone;
  }

  private next(run: () => Promise<void>): void {
    this.waiting += 1;
    this.turn = this.turn
      .then(() => (this.gone ? undefined : run()))
      .catch((error: unknown) => this.failed(error))
      .finally(() => {
        this.waiting -= 1;
      });
  }

  private failed(error: unknown): void {
    if (!isDomainError(error)) this.log.error({ err: error }, "a telemetry request failed");
    this.watcher.tell(isDomainError(error) ? error.message : "Something went wrong on our side.");
  }
}
