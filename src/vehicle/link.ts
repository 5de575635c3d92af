import type { Calls } from "./calls";

export type {
  Acknowledgement,
  FenceUpload,
  FlightState,
  MissionUpload,
  Param,
  PlanOnBoard,
  VerifiedPlan,
} from "./calls";

/**
 * The port through which everything above speaks to a vehicle.
 *
 * link:       one open MAVLink connection to one vehicle over one byte stream.
 * autopilot:  the component whose heartbeat we follow, whatever its system id.
 * command:    an order that the vehicle acknowledges with a MAV_RESULT.
 * transfer:   a mission or fence upload, which is read back and compared before it counts.
 *
 * Every promise here rejects with a `DomainError`:
 * `vehicle_refused` (a MAV_RESULT other than accepted; the message carries the result's name and the
 * vehicle's own STATUSTEXT), `outcome_unknown` (an order, a plan or a parameter was sent, and then the stream
 * ended or the vehicle stopped answering: it may have been done or not), `vehicle_timeout` (no answer after the
 * retries to what changes nothing), `vehicle_unreachable` (the stream is gone and nothing was sent),
 * `transfer_failed` (a plan that broke off or did not read back as sent; the message says what is on board), `not_supported`.
 */
export interface VehicleLink extends VehicleCalls {
  readonly state: "ready" | "closed";
  /** Every telemetry message from now on; returns the function that stops it. */
  onTelemetry(listener: (message: TelemetryMessage) => void): () => void;
  /** Whether we send the vehicle our heartbeats, as a link does from its start. */
  setHeartbeats(on: boolean): void;
  /** Called once, with the reason, when the link is gone for good. Called at once if it already is. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}

/** The calls on one vehicle, whichever gateway holds its link. */
export interface VehicleCalls extends Calls {
  readonly vehicle: VehicleIdentity;
}

export interface VehicleIdentity {
  readonly autopilot: "ardupilot" | "px4";
  readonly kind: "copter" | "rover";
  readonly systemId: number;
  readonly componentId: number;
}

/** The kinds in which telemetry reaches watchers, each with the payload that ROS clients read. */
export type TelemetryMessage =
  | { readonly type: "gps" | "raw_gps"; readonly data: GpsFix }
  | {
      readonly type: "home";
      readonly data: {
        geo: { latitude: number; longitude: number; altitude: number };
      };
    }
  | { readonly type: "relalt"; readonly data: { data: number } }
  | { readonly type: "logs"; readonly data: { severity: number; text: string } }
  | { readonly type: "hud"; readonly data: Hud }
  | { readonly type: "imu"; readonly data: Imu }
  | {
      readonly type: "diagnostics";
      readonly data: { status: readonly DiagnosticRow[] };
    }
  | { readonly type: "system"; readonly data: SystemStatus };

/** NavSatFix. Degrees and metres above mean sea level. `yaw` is added by the server: compass degrees. */
export interface GpsFix {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  /** NavSatStatus: -1 no fix, 0 fix, 1 SBAS, 2 ground-based augmentation. */
  readonly status: { readonly status: number; readonly service: number };
  readonly satellites_visible?: number;
  readonly yaw?: number;
}

/** Metres per second, degrees, 0–100 throttle, metres. */
interface Hud {
  readonly airspeed: number;
  readonly groundspeed: number;
  readonly heading: number;
  readonly throttle: number;
  readonly altitude: number;
  readonly climb: number;
}

/** ROS conventions: ENU world, FLU body, radians per second, metres per second squared. */
export interface Imu {
  readonly orientation: { x: number; y: number; z: number; w: number };
  readonly angular_velocity: { x: number; y: number; z: number };
  readonly linear_acceleration: { x: number; y: number; z: number };
}

/** diagnostic_msgs levels: 0 ok, 1 warning, 2 error, 3 stale. */
export interface DiagnosticRow {
  readonly level: 0 | 1 | 2 | 3;
  readonly name: string;
  readonly message: string;
}

export interface SystemStatus {
  /** Volts, amperes (null when not measured), 0–100 percent (null when not estimated). */
  readonly battery: {
    voltage: number;
    current: number | null;
    remaining: number | null;
  };
  /** 0–100 percent of the autopilot's main loop. */
  readonly cpu_load: number;
  /** Sensor name → healthy, for the sensors that are present and enabled. */
  readonly sensors: Readonly<Record<string, boolean>>;
  readonly armed: boolean;
  readonly mode: string;
}
