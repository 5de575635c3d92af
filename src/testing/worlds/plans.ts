import { MavCommand, MavFrame, type MissionItem, PLAIN_ITEM } from "../../domain/mission-item";
import type { Db } from "../../platform/postgres/db";
import type { ApiClient } from "../client";

/** The required keys of a mission point. */
export const missionPoint = { lat: 47.1, lng: 8.2, altitude: 30, type: "fly", sequence: 1 };
/** The required keys of a geofence point. */
export const geofencePoint = { lat: 47.1, lng: 8.2, sequence: 1, command: 5002 };

/** A waypoint's parameters, and its frame: metres above home. */
export const plainWaypoint = {
  command: MavCommand.waypoint as number,
  frame: MavFrame.globalRelativeAlt as number,
  ...PLAIN_ITEM,
};

/** A waypoint of a mission as it is sent to a vehicle. */
export const missionItem = (changes: Partial<MissionItem> = {}): MissionItem => ({
  ...plainWaypoint,
  x_lat: 47.1234567,
  y_long: 8.7654321,
  z_alt: 20,
  ...changes,
});

/** A stored plan, its points as the API returned them. */
export interface StoredPlan {
  readonly id: number;
  readonly points: readonly { readonly id: number }[];
}

/** A mission with three points, in sequence 1, 2, 3. */
export async function storeMission(api: ApiClient, name = "survey"): Promise<StoredPlan> {
  const { id } = (await api.post("/mission", { name })).body;
  const points = [1, 2, 3].map((sequence) => ({ ...missionPoint, mission_id: id, sequence }));
  return { id, points: await addPoints(api, "mission", points) };
}

/** A geofence with three points, in sequence 1, 2, 3. */
export async function storeGeofence(api: ApiClient, name = "field", type = "polygon"): Promise<StoredPlan> {
  const { id } = (await api.post("/geofence", { name, type })).body;
  const points = [1, 2, 3].map((sequence) => ({ ...geofencePoint, geofence_id: id, sequence }));
  return { id, points: await addPoints(api, "geofence", points) };
}

async function addPoints(api: ApiClient, kind: "mission" | "geofence", points: object[]) {
  let stored: StoredPlan["points"] = [];
  for (const point of points) {
    const { status, body } = await api.post(`/${kind}/point`, [point]);
    if (status !== 201) throw new Error(`A ${kind} point was not stored: ${JSON.stringify(body)}`);
    stored = body[`${kind}_points`];
  }
  return stored;
}

interface InsertedMissions {
  readonly plans: number;
  readonly pointsEach?: number;
  /** The label of every point. */
  readonly label?: string;
}

/** Missions written past every limit, as an older release would have; their ids. */
export async function insertMissions(
  db: Db,
  userId: number,
  { plans, pointsEach = 0, label }: InsertedMissions,
): Promise<number[]> {
  const { rows }: { rows: { id: number }[] } = await db.raw(
    `WITH stored AS (
      INSERT INTO missions (user_id, name)
      SELECT ?, 'inserted ' || gen_random_uuid() FROM generate_series(1, ?) RETURNING id
    ), points AS (
      INSERT INTO mission_points (mission_id, lat, lng, altitude, type, sequence, label)
      SELECT id, 47.3769 + n * 0.000012, 8.5417 - n * 0.000065, 30.5, 'fly', n, ?::text
      FROM stored, generate_series(1, ?) AS n
    )
    SELECT id FROM stored ORDER BY id`,
    [userId, plans, label ?? null, pointsEach],
  );
  return rows.map(({ id }) => id);
}
