import type { z } from "zod";
import type { Geofence, VehicleCalls, Waypoint } from "../../vehicle";
import type { Drone } from "../drones";

/** One row of the action table: everything that is particular to it, and nothing that all of them share. */
export interface Action<Body extends z.ZodObject = z.ZodObject, Result extends z.ZodType = z.ZodType> {
  /** Below `/drone/action/`; also the action's name in the command record. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The body's keys beside `drone_id`. */
  readonly body: Body;
  /** What the vehicle acknowledged. */
  readonly result: Result;
  /**
   * Stops a vehicle, brings it down or changes its mode. Neither the quota of orders nor the limit of
   * requests under way counts or refuses it.
   */
  readonly emergency?: true;
  /** Status for a body that does not fit; 500 unless the contract says otherwise. */
  readonly invalidInput?: 400;
  run(order: Order, body: z.output<Body>): Promise<ActionResult<z.input<Result>>>;
}

export interface ActionResult<Result = unknown> {
  /** A sentence for the user. */
  readonly message: string;
  readonly result: Result;
}

/** Declare an action; see `Action`. */
export const action = <Body extends z.ZodObject, Result extends z.ZodType>(
  spec: Action<Body, Result>,
): Action => spec as unknown as Action;

/** One user's order to one drone, and what its action may use. */
export interface Order {
  readonly drone: Drone;
  /** Run on the drone's open link. Rejects as `VehicleLink` and `VehicleLinks.withLink` do. */
  onLink<T>(use: (link: VehicleCalls) => Promise<T>): Promise<T>;
  /** The caller's own plans; `not_found` for other users' plans. */
  readonly plans: {
    waypoints(missionId: number): Promise<readonly Waypoint[]>;
    geofence(geofenceId: number): Promise<Geofence>;
    enabledGeofences(): Promise<readonly Geofence[]>;
  };
  /** Publish on a Redis channel of the drone's; returns the number of subscribers. */
  publish(channel: string, payload: unknown): Promise<number>;
  /** Prepares arming, such as by giving a simulated drone its video room. Never rejects. */
  beforeArm(): Promise<void>;
}

/** Joins what there is to say into one text. */
export const joinSentences = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join(" ");

/** A vehicle's own words on a plan that it took. */
export const warningText = (warnings: readonly string[]): string | false =>
  warnings.length > 0 && `The drone says: ${warnings.join("; ")}.`;
