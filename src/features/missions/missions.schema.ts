import { z } from "zod";
import {
  allOf,
  batchOf,
  firstOf,
  Label,
  MavCmd,
  optionalColumns,
  PlanName,
  pointColumns,
  RowId,
} from "../plans";

const columns = {
  ...pointColumns,
  param1: pointColumns.param1.describe(
    "MAVLink command parameter; of DO_JUMP (177) the place of the row that it leads to, from 1. 0 when absent.",
  ),
  param4: pointColumns.param4
    .nullable()
    .describe(
      "MAVLink command parameter, in most commands a yaw in degrees. null leaves it to the vehicle. 0 when absent, which PX4 takes as north.",
    ),
  altitude: z.float32().describe("Metres, in the point's frame."),
  type: z
    .enum(["base", "fly", "safepoint"])
    .describe("For clients, which may show them apart. An upload sends all in the same way."),
  label: Label.nullable().describe("Free text. null when absent."),
  command: MavCmd.describe(
    "MAV_CMD: 16 is NAV_WAYPOINT, 22 NAV_TAKEOFF, 21 NAV_LAND, 20 NAV_RETURN_TO_LAUNCH. 16 when absent.",
  ),
  is_current: z.boolean().describe("false when absent."),
  autocontinue: z.boolean().describe("true when absent."),
};

const optional = {
  ...optionalColumns,
  label: true,
  command: true,
  is_current: true,
  autocontinue: true,
} as const;

export const missionPointColumns = Object.keys(columns);

export const MissionPoint = z
  // Labels of earlier releases may be longer than a new one.
  .object({ id: RowId, mission_id: RowId, ...columns, label: z.string().nullable() })
  .meta({ id: "MissionPoint" });
export type MissionPoint = z.output<typeof MissionPoint>;

export const Mission = z
  .object({ id: RowId, name: PlanName, mission_points: z.array(MissionPoint).describe("In order.") })
  .meta({ id: "Mission" });
export type Mission = z.output<typeof Mission>;

export const NewMission = z.object({ name: PlanName }).meta({ id: "NewMission" });

const newPoint = z.strictObject(columns).partial(optional);
const NewPoint = newPoint.extend({ mission_id: RowId }).meta({ id: "NewMissionPoint" });
export const FirstMissionPoint = firstOf(NewPoint);
export const AllMissionPoints = allOf(newPoint.partial({ sequence: true }).meta({ id: "PointOfMission" }));
export const WholeMission = z
  .strictObject({ name: PlanName, mission_points: AllMissionPoints })
  .meta({ id: "WholeMission" });

const PointChange = z.strictObject(columns).partial();
export const MissionPointChange = PointChange.meta({ id: "MissionPointChange" });
export const MissionPointBatch = batchOf(PointChange, "MissionPointBatchRow");

/** The types that a plan of this kind is made of. */
export interface MissionKind {
  readonly plan: Mission;
  readonly newPlan: z.output<typeof NewMission>;
  readonly point: MissionPoint;
  readonly newPoint: z.output<typeof NewPoint>;
  readonly pointChange: z.output<typeof PointChange>;
}
