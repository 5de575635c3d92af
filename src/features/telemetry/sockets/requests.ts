import { DomainError, isDomainError } from "../../../domain/errors";
import { describeIssues } from "../../../http/validate";
import type { Logger } from "../../../platform/process/log";
import type { LinkTarget } from "../../../vehicle";
import { errorMessages } from "../error-messages";
import type { DroneFeeds } from "../feeds/drone-feeds";
import type { FleetWatchers } from "../fleet/fleet-watchers";
import { roomOf, StreamRequest } from "../streams";
import type { RecoverableSession } from "./recoverable-session";
import type { Watcher } from "./watcher";

/** Requests of one socket that may wait. */
export const MAX_WAITING_REQUESTS = 100;
/** Drones times streams that one socket may watch: every stream of a hundred drones. */
export const MAX_STREAMS = 500;

/** Where to dial a drone that the user may watch. Rejects with `not_found`, or when it cannot be dialled. */
export type FindWatched = (userId: number, droneId: number) => Promise<LinkTarget>;

interface RequestsDeps {
  readonly userId: number;
  readonly feeds: Pick<DroneFeeds, "watch" | "unwatch" | "forget">;
  readonly fleets: Pick<FleetWatchers, "watch" | "unwatch">;
  readonly find: FindWatched;
  readonly log: Logger;
  /** Called after the watcher's streams changed. */
  readonly changed: () => void;
}

/** The requests of one watcher, in their order, one at a time: the last one counts. */
export class Requests {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private gone = false;

  constructor(
    private readonly watcher: Watcher,
    private readonly deps: RequestsDeps,
  ) {}

  subscribe(payload: unknown): void {
    this.enqueue(payload, async (request) => {
      const { drone_id, stream_type } = request;
      const { rooms } = this.watcher.socket;
      if (!rooms.has(roomOf(drone_id, stream_type)) && rooms.size > MAX_STREAMS)
        throw new DomainError("too_many_requests", errorMessages.too_many_streams.text(MAX_STREAMS));
      await this.watch(request, () => this.confirm("subscribed", request));
    });
  }

  unsubscribe(payload: unknown): void {
    this.enqueue(payload, async (request) => {
      this.deps.feeds.unwatch(request.drone_id, this.watcher, request.stream_type);
      this.confirm("unsubscribed", request);
    });
  }

  /** Of all drones of the user. */
  subscribeFleet(): void {
    this.wait(async () => {
      this.confirm("subscribed", { stream_type: "fleet" });
      this.watchFleet();
    });
  }

  unsubscribeFleet(): void {
    this.wait(async () => {
      this.watcher.watchesFleet = false;
      this.deps.fleets.unwatch(this.deps.userId, this.watcher);
      this.confirm("unsubscribed", { stream_type: "fleet" });
    });
  }

  /** Subscribes again to the streams of the client's former socket, where the user still may. */
  resume({ streams, fleet }: Pick<RecoverableSession, "streams" | "fleet">): void {
    for (const request of streams.slice(0, MAX_STREAMS)) void this.next(() => this.watch(request));
    if (fleet) void this.next(async () => this.watchFleet());
  }

  /** The socket disconnected: waiting requests are dropped. */
  end(): void {
    this.gone = true;
    this.deps.feeds.forget(this.watcher);
    this.deps.fleets.unwatch(this.deps.userId, this.watcher);
  }

  private enqueue(payload: unknown, run: (request: StreamRequest) => Promise<void>): void {
    const parsed = StreamRequest.safeParse(payload);
    if (parsed.success) this.wait(() => run(parsed.data));
    else this.watcher.sendError(describeIssues("payload", parsed.error));
  }

  private wait(run: () => Promise<void>): void {
    if (this.waiting >= MAX_WAITING_REQUESTS) {
      this.watcher.sendError(errorMessages.too_many_requests.text());
      return;
    }
    this.waiting += 1;
    void this.next(run).finally(() => {
      this.waiting -= 1;
    });
  }

  private watchFleet(): void {
    this.watcher.watchesFleet = true;
    this.deps.fleets.watch(this.deps.userId, this.watcher);
  }

  private async watch({ drone_id, stream_type }: StreamRequest, confirm?: () => void): Promise<void> {
    const target = await this.deps.find(this.deps.userId, drone_id);
    if (!this.gone) this.deps.feeds.watch(drone_id, target, this.watcher, stream_type, confirm);
  }

  private confirm(
    status: "subscribed" | "unsubscribed",
    { stream_type, drone_id }: StreamRequest | { stream_type: "fleet"; drone_id?: undefined },
  ): void {
    const drone = drone_id === undefined ? {} : { drone_id };
    this.watcher.socket.emit("subscription_confirmed", { status, stream_type, ...drone });
  }

  private next(run: () => Promise<void>): Promise<void> {
    this.last = this.last
      .then(() => (this.gone ? undefined : run()))
      .then(() => this.deps.changed())
      .catch((error: unknown) => this.failed(error));
    return this.last;
  }

  private failed(error: unknown): void {
    if (!isDomainError(error)) this.deps.log.error({ err: error }, "Telemetry request failed");
    this.watcher.sendError(isDomainError(error) ? error.message : errorMessages.failed_request.text());
  }
}
