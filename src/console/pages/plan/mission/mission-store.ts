import { reply } from "../../../../client/client";
import type { Session } from "../../../session/session";
import { etagOf } from "../editor/etag-of";
import type { PlanStore, StoredPlan } from "../editor/plan-editor";
import { type MissionContent, type Row, toPoint, toRows } from "./row";

/** The user's mission at the gateway. */
export function missionStore(
  { client: { api } }: Session,
  userId: number,
  mission_id: number,
): PlanStore<MissionContent> {
  const path = { mission_id };
  return {
    draftOf: { userId, kind: "mission", planId: mission_id },
    async load(): Promise<StoredPlan<MissionContent>> {
      const sent = api.GET("/mission/{mission_id}", { params: { path } });
      const { name, mission_points } = await reply(sent);
      return {
        content: { name, rows: toRows(mission_points) },
        etag: await etagOf(sent),
        sequences: mission_points.map(({ sequence }) => sequence),
      };
    },
    async save({ name, rows }, etag) {
      const sent = api.PUT("/mission/{mission_id}", {
        params: { path, header: { "If-Match": etag } },
        body: { name: name.trim(), mission_points: rows.map(toPoint) },
      });
      const { mission_points } = await reply(sent);
      return { etag: await etagOf(sent), sequences: mission_points.map(({ sequence }) => sequence) };
    },
    isSame: (a, b) => a === b || (a.name.trim() === b.name.trim() && isSameRows(a.rows, b.rows)),
  };
}

const isSameRows = (a: readonly Row[], b: readonly Row[]): boolean =>
  a === b || (a.length === b.length && a.every((row, at) => isSameRow(row, b[at] as Row)));

function isSameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  return (Object.keys(a) as (keyof Row)[]).every((column) => column === "key" || a[column] === b[column]);
}
