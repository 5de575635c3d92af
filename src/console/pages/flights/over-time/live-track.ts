import { type ReadonlySignal, signal } from "@preact/signals";
import type { Frame, FrameData } from "../../../live/live";
import type { LatLng } from "../../../map/features";
import { EMPTY_TRACK, type Message, type Track } from "./track";

type Columns = Omit<Track, "modes" | "messages">;
type Rows = { -readonly [Column in keyof Columns]: Columns[Column] };

/** As many rows as the track of a log has. Then every second one is dropped. */
const MOST_ROWS = 4_000;
const MOST_MESSAGES = 500;
const SECONDS_BETWEEN_ROWS = 1;
/** MAV_SEVERITY: 4 is a warning, smaller ones are worse. */
const WARNING = 4;

/** The track of a flight that is under way, made of telemetry since the page was opened. */
export class LiveTrack {
  private readonly shown = signal(EMPTY_TRACK);
  private readonly newest = signal<number | undefined>(undefined);
  private readonly nose = signal<number | undefined>(undefined);
  private readonly homePosition = signal<LatLng | undefined>(undefined);
  private readonly motors = signal<boolean | undefined>(undefined);
  private rows: Rows = { ...EMPTY_TRACK };
  private modes: readonly Track["modes"][number][] = [];
  private messages: readonly Message[] = [];
  private height: number | null = null;
  private hud: FrameData<"hud"> | undefined;
  private system: FrameData<"system"> | undefined;
  private satellites: number | null = null;

  /** `began`: milliseconds since 1970. */
  constructor(private readonly began: number) {}

  /** Grows by a row a second. */
  get track(): ReadonlySignal<Track> {
    return this.shown;
  }

  /** When the vehicle was heard last: milliseconds of `performance.now()`. Undefined when it was not yet. */
  get heardAt(): ReadonlySignal<number | undefined> {
    return this.newest;
  }

  /** Compass degrees of the nose. */
  get heading(): ReadonlySignal<number | undefined> {
    return this.nose;
  }

  get home(): ReadonlySignal<LatLng | undefined> {
    return this.homePosition;
  }

  /** Undefined until the vehicle said so. */
  get armed(): ReadonlySignal<boolean | undefined> {
    return this.motors;
  }

  take(frame: Frame): void {
    this.newest.value = performance.now();
    switch (frame.type) {
      case "relalt":
        this.height = frame.data.data;
        return;
      case "hud":
        this.hud = frame.data;
        return;
      case "raw_gps":
        this.satellites = frame.data.satellites_visible ?? null;
        return;
      case "home":
        this.homePosition.value = { lat: frame.data.geo.latitude, lng: frame.data.geo.longitude };
        return;
      case "system":
        this.system = frame.data;
        this.motors.value = frame.data.armed;
        if (this.modes.at(-1)?.name !== frame.data.mode)
          this.modes = [...this.modes, { seconds: this.now, name: frame.data.mode }].slice(-MOST_MESSAGES);
        return;
      case "logs":
        this.write(frame.data);
        return;
      case "gps":
        this.move(frame.data);
    }
  }

  private get now(): number {
    return Math.max(0, (Date.now() - this.began) / 1_000);
  }

  private write({ severity, text }: FrameData<"logs">): void {
    const message: Message = {
      seconds: this.now,
      severity: severity > WARNING ? "info" : severity === WARNING ? "warning" : "error",
      text,
    };
    this.messages = [...this.messages, message].slice(-MOST_MESSAGES);
    this.show();
  }

  private move({ latitude, longitude, yaw }: FrameData<"gps">): void {
    const { now, rows, hud, system } = this;
    this.nose.value = yaw;
    if (now < (rows.seconds.at(-1) ?? Number.NEGATIVE_INFINITY) + SECONDS_BETWEEN_ROWS) return;
    const battery = system?.battery;
    const row: { [Column in keyof Columns]: number | null } = {
      ...{ seconds: now, lat: latitude, lng: longitude, altitude_m: this.height },
      ...{ speed_ms: hud?.groundspeed ?? null, climb_ms: hud?.climb ?? null },
      ...{ battery_v: battery?.voltage || null, battery_percent: battery?.remaining ?? null },
      ...{ battery_a: battery?.current ?? null, satellites: this.satellites, vibration_ms2: null },
    };
    const isFull = rows.seconds.length >= MOST_ROWS;
    const kept = (values: readonly (number | null)[]) =>
      isFull ? values.filter((_, at) => at % 2 === 0) : values;
    this.rows = Object.fromEntries(
      (Object.keys(row) as (keyof Columns)[]).map((column) => [column, [...kept(rows[column]), row[column]]]),
    ) as unknown as Rows;
    this.show();
  }

  private show(): void {
    const { rows, modes, messages } = this;
    this.shown.value = { ...rows, modes: [...modes], messages: [...messages] };
  }
}
