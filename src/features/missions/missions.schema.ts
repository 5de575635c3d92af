import { z } from "zod";
import {
  Altitude,
  batchOf,
  Frame,
  firstOf,
  Latitude,
  Longitude,
  NavCommand,
  Param,
  PlanName,
  RowId,
  Sequence,
} from "../plans";

const pointColumns = {
  lat: Latitude,
  lng: Longitude,
  altitude: Altitude,
  type: z.enum(["base", "fly", "safepoint"]),
  sequence: Sequence,
  label: z.string().nullable().describe("Free text. null when absent."),
  frame: Frame,
  command: NavCommand.describe(
    "MAV_CMD: 16 is NAV_WAYPOINT, 22 NAV_TAKEOFF, 21 NAV_LAND, 20 NAV_RETURN_TO_LAUNCH. 16 when absent.",
  ),
  is_current: z.boolean().describe("false when absent."),
  autocontinue: z.boolean().describe("true when absent."),
  param1: Param,
  param2: Param,
  param3: Param,
  param4: Param,
};

const withDefault = {
  label: true,
  frame: true,
  command: true,
  is_current: true,
  autocontinue: true,
  param1: true,
  param2: true,
  param3: true,
  param4: true,
} as const;

export const missionPointColumns = Object.keys(pointColumns);

export const MissionPoint = z
  .object({ id: RowId, mission_id: RowId, ...pointColumns })
  .meta({ id: "MissionPoint" });
export type MissionPoint = z.output<typeof MissionPoint>;

export const Mission = z
  .object({ id: RowId, name: PlanName, mission_points: z.array(MissionPoint).describe("In order.") })
  .meta({ id: "Mission" });
export type Mission = z.output<typeof Mission>;

export const NewMission = z.object({ name: PlanName }).meta({ id: "NewMission" });

const NewPoint = z
  .strictObject({ mission_id: RowId, ...pointColumns })
  .partial(withDefault)
  .meta({ id: "NewMissionPoint" });
export const FirstMissionPoint = firstOf(NewPoint);

const PointChange = z.strictObject(pointColumns).partial();
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
