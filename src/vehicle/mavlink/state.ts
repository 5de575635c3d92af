import { DomainError } from "../../domain/errors";
import type { VehicleIdentity } from "../link";
import type { Commands } from "./commands/commands";
import { modeName } from "./modes";
import type { Channel } from "./wire/channel";
import { common, minimal } from "./wire/messages";

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** MAV_LANDED_STATE. */
const IN_AIR = 2;
const TAKING_OFF = 3;

const HOME_ATTEMPTS = 3;

/** Degrees, and metres above mean sea level. */
interface GeoPosition {
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
    return (this.heartbeat.baseMode & ARMED) !== 0;
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

  /** Waits for a heartbeat that shows this mode; false when none does in time. */
  async modeBecomes(customMode: number, withinMs: number): Promise<boolean> {
    if (this.customMode === customMode) return true;
    const shows = (heartbeat: minimal.Heartbeat) => heartbeat.customMode === customMode;
    return (await this.channel.next(minimal.Heartbeat, withinMs, shows)) !== undefined;
  }

  /**
   * Home as the vehicle reports it now: it moves when the vehicle arms. When the answer is lost, the last one stands,
   * because a vehicle reports a new home by itself. Rejects with `vehicle_refused` when it has none (no position yet).
   */
  async home(commands: Commands, withinMs: number): Promise<GeoPosition> {
    for (let attempt = 0; attempt < HOME_ATTEMPTS; attempt++) {
      await commands.fetch(common.HomePosition, withinMs);
      if (this.lastHome) return this.lastHome;
    }
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

  /** Asks once more whether the vehicle has left the ground. */
  async isFlying(commands: Commands, withinMs: number): Promise<boolean> {
    await commands.fetch(common.ExtendedSysState, withinMs);
    return this.landedState === IN_AIR || this.landedState === TAKING_OFF;
  }
}
