import type { TelemetryMessage } from "../../vehicle/link";
import type { Audience } from "./audience";
import type { TelemetryFrame, TelemetryServer } from "./events";
import type { Measures } from "./measures";
import type { Place } from "./place";
import { RateCap } from "./rate-cap";
import { isEvent, roomOf, type Stream, streamsOf, type TelemetryType } from "./streams";
import { SLOW_ROOM } from "./watcher";
import { YawOf } from "./yaw";

/** Of this process, whatever feeds there were. */
let framesMade = 0;

type Outlet = ReturnType<TelemetryServer["to"]>;

/**
 * From one drone's messages to its rooms, where this replica has its link: yaw added, rate capped, encoded once
 * for all who watch here.
 */
export class DroneFeed {
  /** Whether another replica's watchers are fed, too. */
  feedsOthers = false;
  /** Of the frame that was made last; undefined where nobody else holds links. */
  place: Place | undefined;
  private term: number | undefined;
  private readonly yaw = new YawOf();
  private readonly cap: RateCap<TelemetryType, TelemetryMessage>;
  private readonly outletsHere = new Map<TelemetryType, Outlet>();
  private readonly outletsEverywhere = new Map<string, Outlet>();

  constructor(
    private readonly io: TelemetryServer,
    private readonly droneId: number,
    maxHz: number,
    private readonly audience: Audience,
    private readonly measures: Measures,
  ) {
    this.cap = new RateCap(
      maxHz,
      (_type, message) => this.send(message),
      () => measures.drop("rate_cap"),
    );
  }

  receive(message: TelemetryMessage, term?: number): void {
    const now = performance.now();
    this.term = term;
    if (message.type === "hud") this.yaw.sawHeading(message.data.heading, now);
    if (message.type === "imu") this.yaw.sawOrientation(message.data.orientation, now);
    if (!this.isWanted(message.type))
      this.audience.remember(this.frame(message, now), { at: now, place: this.place });
    else if (isEvent(message.type)) this.send(message);
    else this.cap.offer(message.type, message, now);
  }

  close(): void {
    this.cap.close();
  }

  private isWanted(type: TelemetryType): boolean {
    return this.feedsOthers || streamsOf(type).some((stream) => this.audience.watches(stream));
  }

  private send(message: TelemetryMessage): void {
    const now = performance.now();
    const frame = this.frame(message, now);
    if (this.feedsOthers) this.emitEverywhere(frame);
    else this.emitHere(frame);
    this.measures.frame(message.type);
    this.audience.sent(frame, streamsOf(message.type), now, this.place);
  }

  private emitHere(frame: TelemetryFrame): void {
    const outlet = this.outletHere(frame.type);
    (this.audience.hasSlow(frame.type) ? outlet.except(SLOW_ROOM) : outlet).emit("telemetry_data", frame);
  }

  /**
   * One room after the other, since a room is a channel of its own between replicas. A watcher of both a narrow
   * stream and the dashboard gets it by the narrow one. Whoever is slow there is known there only.
   */
  private emitEverywhere(frame: TelemetryFrame): void {
    const [first, second] = streamsOf(frame.type) as [Stream, Stream?];
    this.outletEverywhere(first).emit("telemetry_data", frame);
    if (second) this.outletEverywhere(second, first).emit("telemetry_data", frame);
  }

  private frame(message: TelemetryMessage, now: number): TelemetryFrame {
    const { term } = this;
    this.place = term === undefined ? undefined : { term, number: ++framesMade };
    return { type: message.type, drone_id: this.droneId, data: this.payload(message, now) };
  }

  private payload(message: TelemetryMessage, now: number): object {
    if (message.type !== "gps" && message.type !== "raw_gps") return message.data;
    const yaw = this.yaw.at(now);
    return yaw === undefined ? message.data : { ...message.data, yaw };
  }

  private outletHere(type: TelemetryType): Outlet {
    const known = this.outletsHere.get(type);
    if (known) return known;
    const outlet = this.io.local.to(streamsOf(type).map((stream) => roomOf(this.droneId, stream)));
    this.outletsHere.set(type, outlet);
    return outlet;
  }

  private outletEverywhere(stream: Stream, but?: Stream): Outlet {
    const name = `${stream} ${but}`;
    const known = this.outletsEverywhere.get(name);
    if (known) return known;
    const left = but ? [SLOW_ROOM, roomOf(this.droneId, but)] : [SLOW_ROOM];
    const outlet = this.io.to(roomOf(this.droneId, stream)).except(left);
    this.outletsEverywhere.set(name, outlet);
    return outlet;
  }
}
