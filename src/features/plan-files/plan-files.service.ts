import type { z } from "zod";
import { DomainError } from "../../domain/errors";
import { MavCommand } from "../../domain/mission-item";
import { describeIssues } from "../../http/validate";
import type { Db } from "../../platform/postgres/db";
import { AllGeofencePoints, createGeofences, geofenceForUpload } from "../geofences";
import { AllMissionPoints, createMission, missionForUpload } from "../missions";
import { PLAN_LIMITS, PlanName } from "../plans";
import {
  type LeftOut,
  LeftOutList,
  type ReadGeofences,
  readGeofences,
  readMission,
  refuseFile,
  type WrittenFormat,
  writeGeofence,
  writeMission,
} from "./formats";
import {
  type GeofenceImportQuery,
  IMPORTED_GEOFENCE,
  IMPORTED_MISSION,
  type MissionImportQuery,
} from "./plan-files.schema";

type ReadGeofence = ReadGeofences["geofences"][number];

/** A plan as a file to download. */
export interface PlanDownload {
  readonly fileName: string;
  readonly text: string;
  /** The fields that the format cannot say. */
  readonly leftOut: readonly string[];
}

/** UTF-16 units of the number that follows a name. */
const SUFFIX_LENGTH = " 1000".length;

/** Missions and geofences as files of ground stations and maps. */
export class PlanFiles {
  constructor(private readonly db: Db) {}

  /** Stores the mission of a file. Returns `{mission, left_out}` as JSON. */
  async importMission(userId: number, file: Buffer, query: MissionImportQuery): Promise<string> {
    const leftOut = new LeftOutList();
    const mission = await readMission(file, query.format, query.altitude, leftOut);
    const name = nameOf(query.name, mission.name, IMPORTED_MISSION);
    const rows = mission.points.map(({ point }, index) => ({ ...point, sequence: index + 1 }));
    const points = checked(AllMissionPoints, rows, (index) => mission.points[index]?.at);
    return importReply("mission", await createMission(this.db, userId, name, points), leftOut.list);
  }

  /** Stores the geofences of a file. Returns `{geofences, left_out}` as JSON. */
  async importGeofences(userId: number, file: Buffer, query: GeofenceImportQuery): Promise<string> {
    const leftOut = new LeftOutList();
    const read = await readGeofences(file, query.format, leftOut);
    const name = nameOf(query.name, read.name, IMPORTED_GEOFENCE);
    admitPoints(read);
    const plans = read.geofences.map((geofence, index) => {
      const { type, fence_type = query.fence_type, enabled = true } = geofence;
      const rows = verticesOf({ ...geofence, fence_type });
      const plan = { name: numbered(name, index), type, fence_type, enabled };
      return {
        plan,
        points: checked(AllGeofencePoints, rows, (at) => `${geofence.at}, point ${at + 1}`),
      };
    });
    const stored = await createGeofences(this.db, userId, plans);
    return importReply("geofences", `[${stored.join()}]`, leftOut.list);
  }

  async exportMission(userId: number, id: number, format: WrittenFormat): Promise<PlanDownload> {
    const mission = await missionForUpload(this.db, userId, id);
    return { fileName: fileName(mission.name, format), ...writeMission(mission, format) };
  }

  async exportGeofence(userId: number, id: number, format: WrittenFormat): Promise<PlanDownload> {
    const geofence = await geofenceForUpload(this.db, userId, id);
    return { fileName: fileName(geofence.name, format), ...writeGeofence(geofence, format) };
  }
}

/** The reply as Postgres made its plans. */
const importReply = (key: string, json: string, leftOut: readonly LeftOut[]): string =>
  `{"${key}":${json},"left_out":${JSON.stringify(leftOut)}}`;

/** The file's own name is used as far as it is one. */
function nameOf(given: string | undefined, ofFile: string | undefined, usual: string): string {
  const { data } = PlanName.safeParse(ofFile?.slice(0, 200 - SUFFIX_LENGTH));
  return given ?? data ?? usual;
}

function numbered(name: string, index: number): string {
  if (index === 0) return name;
  const parsed = PlanName.safeParse(`${name} ${index + 1}`);
  if (!parsed.success)
    throw new DomainError("invalid_input", "name: is too long to be followed by the geofence's number");
  return parsed.data;
}

function admitPoints({ geofences }: ReadGeofences): void {
  let points = 0;
  for (const geofence of geofences) {
    points += geofence.points.length;
    if (points > PLAN_LIMITS.points)
      refuseFile(geofence.at, `the file has more than ${PLAN_LIMITS.points} points`);
  }
}

/** The rows of a geofence with the command and the first parameter that an upload gives them as well. */
function verticesOf({ at, type, fence_type, radius = 0, points }: ReadGeofence): object[] {
  if (type === "polygon" && points.length < 3) refuseFile(at, "a polygon has at least 3 vertices");
  if (points.length > PLAN_LIMITS.pointsOfPlan)
    refuseFile(at, `has more than ${PLAN_LIMITS.pointsOfPlan} points`);
  if (type === "circle" && !(radius > 0)) refuseFile(at, "a circle's radius must be more than 0 m");
  const [polygon, circle] =
    fence_type === "inclusion"
      ? [MavCommand.polygonInclusion, MavCommand.circleInclusion]
      : [MavCommand.polygonExclusion, MavCommand.circleExclusion];
  const common = { param2: 0, param3: 0, param4: 0 };
  return points.map((point, index) => ({
    ...{ ...point, sequence: index + 1 },
    ...(type === "polygon"
      ? { command: polygon, param1: points.length }
      : { command: circle, param1: radius }),
    ...common,
  }));
}

/** Throws `invalid_input` with the item of the row that does not fit. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  rows: readonly object[],
  atOf: (index: number) => string | undefined,
): z.output<Schema> {
  const result = schema.safeParse(rows);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [index, ...path] = issue?.path ?? [];
  const at = typeof index === "number" ? atOf(index) : undefined;
  const issues = issue ? [{ ...issue, path }] : [];
  return refuseFile(at ?? "file", describeIssues("it", { issues } as z.ZodError), result.error);
}

/** A format is called as its files end. A name of a plan may have separators of paths. */
const fileName = (name: string, format: WrittenFormat): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  `${name.replaceAll(/[\u0000-\u001f\u007f/\\:*?"<>|]/g, "_")}.${format}`;
