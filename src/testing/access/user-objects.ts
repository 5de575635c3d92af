import { saveSubscription } from "../../features/billing";
import { ApiClient } from "../client";
import { storeGeofence, storeMission } from "../worlds/plans";
import type { TestGateway, TestUser } from "../worlds/start-gateway";
import { upload } from "../worlds/uploads";

/** The ids of one object of each kind that a user can own. */
export interface UserObjects {
  readonly user: TestUser;
  readonly drone: number;
  /** The drone's address. */
  readonly ip: string;
  readonly roomToken: string;
  readonly mission: number;
  readonly missionPoint: number;
  readonly geofence: number;
  readonly geofencePoint: number;
  readonly execution: number;
  readonly asset: number;
  readonly event: number;
}

export type ObjectKind = Exclude<keyof UserObjects, "user" | "ip" | "roomToken">;

/** A part of every name and title: a reply to another user must not contain it. */
export const CONFIDENTIAL = "confidential";

export const TEST_EDGE_SECRET = "what only the edge knows";

/** A drone's API client: in the strict profile on the drone-only port, with the edge's secret. */
export const droneApi = (gateway: TestGateway, ip: string): ApiClient =>
  new ApiClient(`${gateway.droneUrl ?? gateway.url}/api/v1`).with({
    "x-drone-ip": ip,
    ...(gateway.droneUrl ? { "x-edge-secret": TEST_EDGE_SECRET } : {}),
  });

/** A new user with one object of each kind, made through the API. */
export async function createUserObjects(gateway: TestGateway): Promise<UserObjects> {
  const user = await gateway.newUser();
  await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 5 });
  const made = async (path: string, body: object, api = user.api) => {
    const reply = await api.post(path, body);
    if (reply.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const mission = await storeMission(user.api, `${CONFIDENTIAL} mission`);
  const geofence = await storeGeofence(user.api, `${CONFIDENTIAL} geofence`);
  // Nothing listens on port 1, so that an order to the drone fails at once.
  const drone = await made("/drone", {
    ...{ type: "sitl", name: `${CONFIDENTIAL} drone`, vehicle_type: "copter" },
    ...{ link_host: "127.0.0.1", port: 1 },
  });
  await user.api.put(`/drone/${drone.id}`, { mission_id: mission.id });
  const onDrone = droneApi(gateway, drone.ip);
  const execution = (await made("/executions/start", { mission_id: mission.id }, onDrone)).data.id;
  const { asset_id: asset } = await upload(
    onDrone,
    { file_name: `${CONFIDENTIAL}.log`, asset_type: "logs", execution_id: execution },
    "a log",
  );
  const event = await made("/calendar/events", {
    ...{ title: `${CONFIDENTIAL} event`, drone_id: drone.id, mission_id: mission.id },
    ...{ scheduled_time: "2030-01-01T08:00:00Z", recurrence_rule: "FREQ=DAILY;COUNT=5" },
  });
  const first = ({ points }: { points: readonly { id: number }[] }) => points[0]?.id ?? 0;
  return {
    user,
    drone: drone.id,
    ip: drone.ip,
    roomToken: drone.video_room_token,
    mission: mission.id,
    missionPoint: first(mission),
    geofence: geofence.id,
    geofencePoint: first(geofence),
    execution,
    asset,
    event: event.data.id,
  };
}
