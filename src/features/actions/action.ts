import type { z } from "zod";
import type { Geofence, VehicleLink, VerifiedPlan, Waypoint } from "../../vehicle";

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
  /** Status for a body that does not fit; 500 unless the contract says otherwise. */
  readonly invalidInput?: 400;
  run(order: Order, body: z.output<Body>): Promise<Done<Told<z.input<Result>>>>;
}

export interface Done<Result = unknown> {
  /** A sentence for the person who asked. */
  readonly message: string;
  readonly result: Result;
}

/** A reply is only read, so what the link gives as read-only may stand in it. */
export type Told<T> = T extends (infer Item)[]
  ? readonly Told<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Told<T[Key]> }
    : T;

/** Declare an action; see `Action`. */
export const action = <Body extends z.ZodObject, Result extends z.ZodType>(
  spec: Action<Body, Result>,
): Action => spec as unknown as Action;

/** One user's order to one drone, and the doors through which it is carried out. */
export interface Order {
  readonly drone: OrderedDrone;
  /** Run on the drone's open link. Rejects with what the vehicle or the way to it said. */
  onLink<T>(use: (link: VehicleLink) => Promise<T>): Promise<T>;
  /** The caller's own plans; `not_found` for anybody else's. */
  readonly plans: {
    waypoints(missionId: number): Promise<readonly Waypoint[]>;
    geofence(geofenceId: number): Promise<Geofence>;
    enabledGeofences(): Promise<readonly Geofence[]>;
  };
  /** Publish on a channel of the drone's; returns how many took it. */
  publish(channel: string, payload: unknown): Promise<number>;
  /** What comes before arming, such as giving a simulated drone its video room. Never rejects. */
  beforeArm(): Promise<void>;
  /** Keep the plan that the drone was found to hold. Never rejects: it is on the vehicle whatever we keep. */
  keepVerifiedPlan(missionId: number, plan: VerifiedPlan): Promise<void>;
}

/** What an action needs to know of its drone. */
export interface OrderedDrone {
  readonly id: number;
  readonly user_id: number;
  readonly ip: string | null;
  readonly type: "physical" | "sitl";
  readonly vehicle_type: "copter" | "rover";
}
