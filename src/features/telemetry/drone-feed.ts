import type { TelemetryMessage } from "../../vehicle/link";
import type { TelemetryFrame, TelemetryServer } from "./events";
import type { Measures } from "./measures";
import { RateCap } from "./rate-cap";
import { isEvent, roomOf, STREAMS, type Stream, streamsOf, type TelemetryType } from "./streams";
import { SLOW_ROOM, type Watcher } from "./watcher";
import { YawOf } from "./yaw";

/** From one drone's messages to its rooms: yaw added, rate capped, encoded once for all who watch. */
export class DroneFeed {
  private readonly watchers = new Map<Stream, Set<Watcher>>();
  private readonly yaw = new YawOf();
  private readonly cap: RateCap<TelemetryType, TelemetryMessage>;
  /** As the vehicle told it last; it does so rarely. */
  private home: TelemetryMessage | undefined;
  private readonly outlets = new Map<TelemetryType, ReturnType<TelemetryServer["to"]>>();

  constructor(
    private readonly io: TelemetryServer,
    private readonly droneId: number,
    maxHz: number,
    private readonly measures: Measures,
  ) {
    this.cap = new RateCap(
      maxHz,
      (_type, message) => this.send(message),
      () => measures.drop("rate_cap"),
    );
  }

  get watched(): boolean {
    return this.watchers.size > 0;
  }

  /** Streams with at least one watcher. */
  get rooms(): number {
    return this.watchers.size;
  }

  add(watcher: Watcher, stream: Stream): void {
    const watching = this.watchers.get(stream) ?? new Set();
    this.watchers.set(stream, watching.add(watcher));
    void watcher.socket.join(roomOf(this.droneId, stream));
  }

  /** What a watcher who comes late would otherwise wait long for. */
  greet(watcher: Watcher, stream: Stream): void {
    if (this.home && stream === "dashboard") watcher.socket.emit("telemetry_data", this.frame(this.home));
  }

  remove(watcher: Watcher, stream: Stream): void {
    const watching = this.watchers.get(stream);
    watching?.delete(watcher);
    if (watching?.size === 0) this.watchers.delete(stream);
    void watcher.socket.leave(roomOf(this.droneId, stream));
    if (!this.streamsFor(watcher).length) watcher.forget(this.droneId);
  }

  streamsFor(watcher: Watcher): Stream[] {
    return STREAMS.filter((stream) => this.watchers.get(stream)?.has(watcher));
  }

  /** Everybody who watches this drone, once each. */
  everybody(): Set<Watcher> {
    return new Set([...this.watchers.values()].flatMap((watching) => [...watching]));
  }

  receive(message: TelemetryMessage): void {
    const now = performance.now();
    if (message.type === "hud") this.yaw.sawHeading(message.data.heading, now);
    if (message.type === "imu") this.yaw.sawOrientation(message.data.orientation, now);
    if (message.type === "home") this.home = message;
    if (!streamsOf(message.type).some((stream) => this.watchers.has(stream))) return;
    if (isEvent(message.type)) this.send(message);
    else this.cap.offer(message.type, message, now);
  }

  close(): void {
    this.cap.close();
  }

  private send(message: TelemetryMessage): void {
    const now = performance.now();
    const frame = this.frame(message, now);
    const audience = this.audience(message.type);
    const outlet = this.outlet(message.type);
    (audience.some(({ slow }) => slow) ? outlet.except(SLOW_ROOM) : outlet).emit("telemetry_data", frame);
    this.measures.frame(message.type);
    for (const watcher of audience) this.afterSending(watcher, frame, now);
  }

  private frame(message: TelemetryMessage, now = performance.now()): TelemetryFrame {
    return { type: message.type, drone_id: this.droneId, data: this.payload(message, now) };
  }

  private afterSending(watcher: Watcher, frame: TelemetryFrame, now: number): void {
    if (watcher.slow) watcher.hold(frame);
    else watcher.noticeStall(now);
  }

  private payload(message: TelemetryMessage, now: number): object {
    if (message.type !== "gps" && message.type !== "raw_gps") return message.data;
    const yaw = this.yaw.at(now);
    return yaw === undefined ? message.data : { ...message.data, yaw };
  }

  /** A watcher of both a narrow stream and the dashboard is sent a frame once. */
  private audience(type: TelemetryType): Watcher[] {
    const [first, second] = streamsOf(type).map((stream) => this.watchers.get(stream));
    if (!first) return [...(second ?? [])];
    return second ? [...first, ...[...second].filter((watcher) => !first.has(watcher))] : [...first];
  }

  private outlet(type: TelemetryType): ReturnType<TelemetryServer["to"]> {
    const known = this.outlets.get(type);
    if (known) return known;
    const outlet = this.io.to(streamsOf(type).map((stream) => roomOf(this.droneId, stream)));
    this.outlets.set(type, outlet);
    return outlet;
  }
}
