import { reply } from "../../../../client/client";
import type { Session } from "../../../session/session";
import { etagOf } from "../editor/etag-of";
import type { PlanStore } from "../editor/plan-editor";
import { type FenceContent, isSameFence, type StoredGeofence, toContent, toPoints } from "./fence";

/** The user's geofence at the gateway. */
export function fenceStore(
  { client: { api } }: Session,
  userId: number,
  geofence_id: number,
): PlanStore<FenceContent> {
  const path = { geofence_id };
  const sequencesOf = ({ geofence_points }: StoredGeofence) =>
    geofence_points.map(({ sequence }) => sequence);
  return {
    draftOf: { userId, kind: "geofence", planId: geofence_id },
    async load() {
      const sent = api.GET("/geofence/{geofence_id}", { params: { path } });
      const stored = await reply(sent);
      return { content: toContent(stored), etag: await etagOf(sent), sequences: sequencesOf(stored) };
    },
    async save(content, etag) {
      const { name, type, fence_type, enabled } = content;
      const sent = api.PUT("/geofence/{geofence_id}", {
        params: { path, header: { "If-Match": etag } },
        body: { name: name.trim(), type, fence_type, enabled, geofence_points: toPoints(content) },
      });
      const stored = await reply(sent);
      return { etag: await etagOf(sent), sequences: sequencesOf(stored) };
    },
    isSame: isSameFence,
  };
}
