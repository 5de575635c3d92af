import { DomainError } from "../../domain/errors";
import type { VehicleIdentity } from "../link";
import { Command, type Commands } from "./commands/commands";
import { modeName } from "./modes";
import type { Channel } from "./wire/channel";
import { common, type MavLinkData, type MavLinkDataConstructor, minimal } from "./wire/messages";

/** MAV_MODE_FLAG_SAFETY_ARMED. */
const ARMED = 128;
/** MAV_LANDED_STATE. */
const IN_AIR = 2;
const TAKING_OFF = 3;

const HOME_ATTEMPTS = 3;

/** Degrees, and metres above mean sea level. */
export interface Place {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

/** What the vehicle last said of itself; each answer is undefined until it has. */
export class VehicleState {
  private heartbeat: { armed: boolean; customMode: number } | undefined;
  private lastHome: Place | undefined;
  private lastOrigin: Place | undefined;
  private landedState: number | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    first: minimal.Heartbeat,
  ) {
    this.hear(first);
    channel.on(minimal.Heartbeat, (heartbeat) => this.hear(heartbeat));
    channel.on(common.HomePosition, ({ latitude, longitude, altitude }) => {
      this.lastHome = { lat: latitude / 1e7, lng: longitude / 1e7, altitude: altitude / 1000 };
    });
    channel.on(common.GpsGlobalOrigin, ({ latitude, longitude, altitude }) => {
      this.lastOrigin = { lat: latitude / 1e7, lng: longitude / 1e7, altitude: altitude / 1000 };
    });
    channel.on(common.ExtendedSysState, ({ landedState }) => {
      this.landedState = landedState;
    });
  }

  get armed(): boolean {
    return this.heartbeat?.armed ?? false;
  }

  get customMode(): number {
    return this.heartbeat?.customMode ?? 0;
  }

  get mode(): string {
    return modeName(this.vehicle, this.customMode);
  }

  get flying(): boolean {
    return this.landedState === IN_AIR || this.landedState === TAKING_OFF;
  }

  /** The last home, without asking. */
  get knownHome(): Place | undefined {
    return this.lastHome;
  }

  /** Waits for a heartbeat that shows this mode; false when none does in time. */
  modeBecomes(customMode: number, withinMs: number): Promise<boolean> {
    if (this.heartbeat?.customMode === customMode) return Promise.resolve(true);
    return this.hears(minimal.Heartbeat, (heartbeat) => heartbeat.customMode === customMode, withinMs);
  }

  /**
   * Home as the vehicle says it now: it moves when the vehicle arms. When the answer is lost, the last one
   * stands, because a vehicle tells of a new home by itself. Undefined when it has none.
   */
  async home(commands: Commands, withinMs: number): Promise<Place | undefined> {
    for (let attempt = 0; attempt < HOME_ATTEMPTS; attempt++) {
      const heard = this.hears(common.HomePosition, () => true, withinMs);
      // GET_HOME_POSITION is what autopilots before REQUEST_MESSAGE understand.
      if (!(await commands.requestMessage(common.HomePosition.MSG_ID))) {
        await commands.ask("say where home is", Command.getHomePosition, []);
      }
      if ((await heard) || this.lastHome) break;
    }
    return this.lastHome;
  }

  /** Home, or `vehicle_refused` when the vehicle has none (no position yet). */
  async demandHome(commands: Commands, withinMs: number): Promise<Place> {
    const home = await this.home(commands, withinMs);
    if (home) return home;
    throw new DomainError(
      "vehicle_refused",
      "The vehicle has no home position yet; it waits for its position.",
    );
  }

  /** The origin of the local frame, which need not be home. Undefined when the vehicle does not say. */
  async origin(commands: Commands, withinMs: number): Promise<Place | undefined> {
    const heard = this.hears(common.GpsGlobalOrigin, () => true, withinMs);
    if (await commands.requestMessage(common.GpsGlobalOrigin.MSG_ID)) await heard;
    return this.lastOrigin;
  }

  /** Asks once more whether the vehicle has left the ground. */
  async refreshFlying(commands: Commands, withinMs: number): Promise<boolean> {
    const heard = this.hears(common.ExtendedSysState, () => true, withinMs);
    if (await commands.requestMessage(common.ExtendedSysState.MSG_ID)) await heard;
    return this.flying;
  }

  /** Whether a message that satisfies `match` comes in time. False, too, when the channel closes. */
  hears<T extends MavLinkData>(
    kind: MavLinkDataConstructor<T>,
    match: (message: T) => boolean,
    withinMs: number,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      let release = () => {};
      const finish = (heard: boolean) => {
        clearTimeout(timer);
        stop();
        release();
        resolve(heard);
      };
      const timer = setTimeout(() => finish(false), withinMs);
      const stop = this.channel.on(kind, (message) => {
        if (match(message)) finish(true);
      });
      release = this.channel.onClose(() => finish(false));
    });
  }

  private hear({ baseMode, customMode }: minimal.Heartbeat): void {
    this.heartbeat = { armed: (baseMode & ARMED) !== 0, customMode };
  }
}
