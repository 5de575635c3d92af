import type { MissionProgress, SystemStatus } from "./telemetry-messages";

/** The newest that a vehicle said of itself; what it has not said yet is absent. */
export interface NewestState {
  readonly armed: boolean;
  /** By the autopilot's own name. */
  readonly mode: string;
  readonly position?: {
    /** Degrees (WGS 84). */
    readonly latitude: number;
    readonly longitude: number;
    /** Metres above mean sea level. */
    readonly altitude: number;
    /** Metres above home. */
    readonly relative_altitude: number;
    /** Compass degrees of the nose; null when not known. */
    readonly heading: number | null;
  };
  readonly battery?: Pick<SystemStatus["battery"], "voltage" | "remaining">;
  readonly mission?: Pick<MissionProgress, "item" | "items" | "state">;
}

/** Follows the state of one link's vehicle, whoever uses the link. It may not throw. */
export interface StateFollower {
  /** Called when a message says something of it; at most twice a second for a part, each heartbeat apart. */
  said(state: Partial<NewestState>): void;
  closed(): void;
}
