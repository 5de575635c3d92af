import type { VehicleIdentity } from "../../link";
import type { TelemetryMessage } from "../../telemetry-messages";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import type { StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { ardupilotmega, common, minimal } from "../wire/messages";
import { estimatorOf, type Health, toDiagnostics } from "./diagnostics";
import { toHud } from "./hud";
import { fromEuler, fromMilliG, toImu, type Vector } from "./imu";
import { toMission, toTarget } from "./mission";
import { toGps, toHome, toRawGps, toRelativeAltitude } from "./position";
import { type SystemParts, toSystem, toWind, toWindCov } from "./system";

/** ATTITUDE is used only while no ATTITUDE_QUATERNION comes; it carries the same with less precision. */
const QUATERNION_FRESH_MS = 2000;
/** BATTERY_STATUS.id of the battery that SYS_STATUS is of. */
const FIRST_BATTERY = 0;
/** The distance to the next item comes once a second. */
const AHEAD_FRESH_MS = 3000;
/** PX4 sends its next target and the number of its item once a second each, in either order. */
const SETTLED_MS = 1500;

/**
 * Turns the vehicle's messages into telemetry. Listens to the channel only while it has listeners itself, so that an
 * unwatched vehicle's stream is not decoded.
 */
export class Telemetry {
  private readonly listeners = new Set<(message: TelemetryMessage) => void>();
  private stops: (() => void)[] = [];
  private acceleration: Vector = { x: 0, y: 0, z: 0 };
  private quaternionAt = Number.NEGATIVE_INFINITY;
  private health: Omit<Health, "status"> = {};
  private home: TelemetryMessage | undefined;
  private position: common.GlobalPositionInt | undefined;
  /** Transfers of plans to the vehicle that it has ended. */
  private writes = 0;
  /** MISSION_CURRENT.seq, and when it changed. */
  private item: { readonly seq: number; readonly changedAt: number } | undefined;
  /** ArduPilot: metres to the current item of the mission, and when that was said. */
  private ahead: { readonly metres: number; readonly at: number } | undefined;
  /** PX4: where it flies, and when that changed. A rover says it once for each item. */
  private target: { readonly place: common.PositionTargetGlobalInt; readonly changedAt: number } | undefined;
  private status: common.SysStatus | undefined;
  private battery: common.BatteryStatus | undefined;
  private wind: SystemParts["wind"];
  private shown: { readonly armed: boolean; readonly mode: string } | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly texts: StatusTexts,
    private readonly state: VehicleState,
    private readonly vehicle: Pick<VehicleIdentity, "autopilot">,
    private readonly params: Pick<Params, "onProgress">,
  ) {}

  /** A late listener gets home at once: the vehicle sends it rarely. */
  on(listener: (message: TelemetryMessage) => void): () => void {
    // A wrapper, so that the same function may listen twice.
    const entry = (message: TelemetryMessage) => listener(message);
    this.listeners.add(entry);
    if (this.listeners.size === 1) this.listen();
    if (this.home) entry(this.home);
    return () => {
      if (this.listeners.delete(entry) && this.listeners.size === 0) this.stop();
    };
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.stops = [];
  }

  private listen(): void {
    const { channel } = this;
    this.stops = [
      channel.on(common.GlobalPositionInt, (message) => {
        this.position = message;
        this.emit(toGps(message, this.health.gps?.fixType));
        this.emit(toRelativeAltitude(message));
      }),
      channel.on(common.GpsRawInt, (message) => {
        this.health = { ...this.health, gps: message };
        this.emit(toRawGps(message));
      }),
      channel.on(common.HomePosition, (message) => {
        this.home = toHome(message);
        this.emit(this.home);
      }),
      channel.on(common.MissionCurrent, (message) => {
        if (message.seq !== this.item?.seq) this.beginItem(message.seq);
        this.emit(toMission(message, this.vehicle, this.metresAhead(), this.state.mode, this.writes));
      }),
      // It ends a transfer to the vehicle; one from the vehicle is ended by the ground station.
      channel.on(common.MissionAck, () => {
        this.writes += 1;
      }),
      this.listenAhead(),
      channel.on(common.VfrHud, (message) => this.emit(toHud(message))),
      channel.on(common.AttitudeQuaternion, (message) => {
        this.quaternionAt = performance.now();
        const attitude = { w: message.q1, x: message.q2, y: message.q3, z: message.q4 };
        this.emit(toImu(attitude, ratesOf(message), this.acceleration));
      }),
      channel.on(common.Attitude, (message) => {
        if (performance.now() - this.quaternionAt < QUATERNION_FRESH_MS) return;
        const attitude = fromEuler(message.roll, message.pitch, message.yaw);
        this.emit(toImu(attitude, ratesOf(message), this.acceleration));
      }),
      channel.on(common.RawImu, (message) => {
        this.acceleration = fromMilliG(message);
      }),
      channel.on(common.HighresImu, ({ xacc, yacc, zacc }) => {
        this.acceleration = { x: xacc, y: yacc, z: zacc };
      }),
      channel.on(ardupilotmega.EkfStatusReport, (ekf) => {
        this.health = { ...this.health, ekf };
      }),
      channel.on(common.EstimatorStatus, (estimator) => {
        this.health = { ...this.health, estimator };
      }),
      channel.on(ardupilotmega.Wind, (message) => {
        this.wind = toWind(message);
      }),
      channel.on(common.WindCov, (message) => {
        this.wind = toWindCov(message);
      }),
      channel.on(common.BatteryStatus, (battery) => {
        if (battery.id === FIRST_BATTERY) this.battery = battery;
      }),
      channel.on(common.SysStatus, (status) => {
        this.status = status;
        this.emitSystem(status);
        this.emit(toDiagnostics({ status, ...this.health }));
      }),
      // SYS_STATUS comes once a second; a new mode is shown at once.
      channel.on(minimal.Heartbeat, () => {
        const { armed, mode } = this.state;
        const isNews = armed !== this.shown?.armed || mode !== this.shown.mode;
        if (this.status && isNews) this.emitSystem(this.status);
      }),
      this.params.onProgress((data) => this.emit({ type: "params", data })),
      this.texts.on(({ severity, text }) => this.emit({ type: "logs", data: { severity, text } })),
    ];
  }

  /** ArduPilot says how far it is; PX4 says where it flies. */
  private listenAhead(): () => void {
    if (this.vehicle.autopilot === "ardupilot") {
      return this.channel.on(common.NavControllerOutput, ({ wpDist }) => {
        this.ahead = { metres: wpDist, at: performance.now() };
      });
    }
    return this.channel.on(common.PositionTargetGlobalInt, (place) => {
      const { latInt, lonInt } = this.target?.place ?? {};
      if (place.latInt === latInt && place.lonInt === lonInt) return;
      this.target = { place, changedAt: performance.now() };
    });
  }

  /** A target that PX4 said long before is that of the item before. */
  private beginItem(seq: number): void {
    const now = performance.now();
    this.item = { seq, changedAt: now };
    this.ahead = undefined;
    if (this.target && now - this.target.changedAt > SETTLED_MS) this.target = undefined;
  }

  /** Undefined until it is sure that the target is the item's. */
  private metresAhead(): number | undefined {
    const { ahead, target, item, position } = this;
    const now = performance.now();
    if (ahead) return now - ahead.at < AHEAD_FRESH_MS ? ahead.metres : undefined;
    if (!target || !item || !position) return undefined;
    const isSettled = now - Math.max(target.changedAt, item.changedAt) > SETTLED_MS;
    return isSettled ? toTarget(position, target.place) : undefined;
  }

  private emitSystem(status: common.SysStatus): void {
    const { armed, mode } = this.state;
    this.shown = { armed, mode };
    const { quality, openedAt } = this.channel;
    const open = Math.round((performance.now() - openedAt) / 1000);
    this.emit(
      toSystem({
        ...{ status, armed, mode, battery: this.battery, wind: this.wind },
        link: { quality: quality.percent, open },
        estimator: estimatorOf(this.health),
      }),
    );
  }

  private emit(message: TelemetryMessage): void {
    for (const listener of this.listeners) listener(message);
  }
}

const ratesOf = (message: { rollspeed: number; pitchspeed: number; yawspeed: number }): Vector => ({
  x: message.rollspeed,
  y: message.pitchspeed,
  z: message.yawspeed,
});
