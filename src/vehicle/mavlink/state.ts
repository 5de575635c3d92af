import { DomainError } from "../../domain/errors";
import type { LatLng } from "../../domain/geo";
import type { VehicleIdentity } from "../link";
import type { Commands } from "./commands/commands";
import { modeName } from "./modes";
import type { Channel } from "./wire/channel";
import { common, minimal } from "./wire/messages";

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** MAV_LANDED_STATE. */
const UNDEFINED = 0;
const ON_GROUND = 1;
const LANDING = 4;

const HOME_ATTEMPTS = 3;
const LANDED_ATTEMPTS = 3;
/** Heartbeats that show that it did not do it: the first may be of the moment before. */
const CONTRADICTS = 2;

/** Degrees, and metres above mean sea level. */
export interface GeoPosition {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

const positionOf = ({
  latitude,
  longitude,
  altitude,
}: Record<"latitude" | "longitude" | "altitude", number>): GeoPosition => ({
  lat: latitude / 1e7,
  lng: longitude / 1e7,
  altitude: altitude / 1000,
});

const isArmed = ({ baseMode }: minimal.Heartbeat): boolean => (baseMode & ARMED) !== 0;

const isInAir = (landedState: number | undefined): boolean | undefined =>
  landedState === undefined || landedState === UNDEFINED ? undefined : landedState !== ON_GROUND;

/** The vehicle's last reports of its own state; each is undefined until the vehicle has sent it. */
export class VehicleState {
  private heartbeat: minimal.Heartbeat;
  private lastHome: GeoPosition | undefined;
  private lastOrigin: GeoPosition | undefined;
  private landedState: number | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    first: minimal.Heartbeat,
  ) {
    this.heartbeat = first;
    channel.on(minimal.Heartbeat, (heartbeat) => {
      this.heartbeat = heartbeat;
    });
    channel.on(common.HomePosition, (home) => {
      this.lastHome = positionOf(home);
    });
    channel.on(common.GpsGlobalOrigin, (origin) => {
      this.lastOrigin = positionOf(origin);
    });
    channel.on(common.ExtendedSysState, ({ landedState }) => {
      this.landedState = landedState;
    });
  }

  get armed(): boolean {
    return isArmed(this.heartbeat);
  }

  get customMode(): number {
    return this.heartbeat.customMode;
  }

  get mode(): string {
    return modeName(this.vehicle, this.customMode);
  }

  /** The last home, without asking. */
  get knownHome(): GeoPosition | undefined {
    return this.lastHome;
  }

  /** Waits for a heartbeat that shows this mode; false when others come. Rejects as `refresh` does when fewer than two come. */
  modeBecomes(customMode: number, commands: Commands, withinMs: number): Promise<boolean> {
    return this.shows((heartbeat) => heartbeat.customMode === customMode, commands, withinMs);
  }

  /** The same for a heartbeat that shows an armed vehicle. */
  becomesArmed(commands: Commands, withinMs: number): Promise<boolean> {
    return this.shows(isArmed, commands, withinMs);
  }

  /** Heartbeats come once a second; one that is asked for comes at once, and watchers of the vehicle see it too. */
  requestHeartbeat(commands: Commands): void {
    // Without an answer the next one will do.
    commands.requestMessage(minimal.Heartbeat.MSG_ID).catch(() => {});
  }

  /** Returns when `armed` and the mode are as of now. Rejects with `vehicle_timeout` or `vehicle_unreachable`. */
  async refresh(commands: Commands, withinMs: number): Promise<void> {
    const next = this.channel.next(minimal.Heartbeat, withinMs);
    this.requestHeartbeat(commands);
    if (await next) return;
    this.channel.assertOpen();
    throw notReported();
  }

  /**
   * Whether the vehicle is armed. The last heartbeat may be a second old: another is waited for when it says `doubted`.
   * Rejects as `refresh` does.
   */
  async checkArmed(doubted: boolean, commands: Commands, withinMs: number): Promise<boolean> {
    if (this.armed === doubted) await this.refresh(commands, withinMs);
    return this.armed;
  }

  /**
   * Home as the vehicle reports it now: it moves when the vehicle arms. When no answer comes, the last one stands,
   * because a vehicle reports a new home by itself. Rejects with `vehicle_refused` when it has none (no position yet).
   */
  async home(commands: Commands, withinMs: number): Promise<GeoPosition> {
    for (let attempt = 0; attempt < HOME_ATTEMPTS; attempt++) {
      const home = await commands.fetch(common.HomePosition, withinMs);
      if (home) return positionOf(home);
    }
    if (this.lastHome) return this.lastHome;
    throw new DomainError(
      "vehicle_refused",
      "The vehicle has no home position yet; it waits for its position.",
    );
  }

  /** The origin of the local frame, which need not be home. Undefined when the vehicle does not report it. */
  async origin(commands: Commands, withinMs: number): Promise<GeoPosition | undefined> {
    await commands.fetch(common.GpsGlobalOrigin, withinMs);
    return this.lastOrigin;
  }

  /** Where the vehicle is now; undefined when it does not say. */
  async position(commands: Commands, withinMs: number): Promise<LatLng | undefined> {
    const next = this.channel.next(common.GlobalPositionInt, withinMs);
    // PX4 refuses while it has nothing newer than what it has just sent; the next one comes by itself.
    await commands.requestMessage(common.GlobalPositionInt.MSG_ID);
    const reported = await next;
    return reported && { lat: reported.lat / 1e7, lng: reported.lon / 1e7 };
  }

  /**
   * Whether the vehicle has left the ground; undefined when it does not say. What it said before may be of its last
   * flight, so an answer that is lost is asked for again. A vehicle that refuses, as PX4 while it has nothing newer, says
   * it by itself all the time.
   */
  async isFlying(commands: Commands, withinMs: number): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < LANDED_ATTEMPTS; attempt++) {
      const next = this.channel.next(common.ExtendedSysState, withinMs);
      if (!(await commands.requestMessage(common.ExtendedSysState.MSG_ID))) return isInAir(this.landedState);
      const reported = await next;
      if (reported) return isInAir(reported.landedState);
    }
    return undefined;
  }

  /** Whether it was landing when it last said. */
  get isLanding(): boolean {
    return this.landedState === LANDING;
  }

  private async shows(
    match: (heartbeat: minimal.Heartbeat) => boolean,
    commands: Commands,
    withinMs: number,
  ): Promise<boolean> {
    let others = 0;
    const shown = this.channel.next(minimal.Heartbeat, withinMs, (heartbeat) => {
      if (match(heartbeat)) return true;
      others += 1;
      return false;
    });
    this.requestHeartbeat(commands);
    if (await shown) return true;
    this.channel.assertOpen();
    if (others < CONTRADICTS) throw notReported();
    return false;
  }
}

const notReported = (): DomainError =>
  new DomainError("vehicle_timeout", "The vehicle does not report its state.");
