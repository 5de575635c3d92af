import type { Calls } from "./calls";
import type { TelemetryMessage } from "./telemetry-messages";

export type {
  Acknowledgement,
  FenceUpload,
  FlightState,
  MissionUpload,
  Param,
  PlanOnBoard,
  VerifiedPlan,
} from "./calls";
export type { TelemetryMessage } from "./telemetry-messages";

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
  /** Whether the vehicle is to send what telemetry is made of, which it does not by itself. */
  setStreams(on: boolean): void;
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
