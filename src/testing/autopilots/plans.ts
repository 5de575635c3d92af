import { offsetBy } from "../../domain/geo";
import type { ApiClient } from "../client";
import { missionPoint } from "../worlds/plans";
import { isPx4 } from "./autopilot";
import type { TestedVehicle } from "./tested-vehicle";
import type { ObservedState, ReceivedMessage } from "./witness";

/** A mission with these points, in sequence from 1, so many metres north and east of a place. Returns its id. */
export async function storePlan(
  api: ApiClient,
  around: ObservedState,
  rows: readonly ({ north?: number; east?: number } & Record<string, unknown>)[],
): Promise<number> {
  const { id } = (await api.post("/mission", { name: `plan ${crypto.randomUUID()}` })).body;
  for (const [index, { north = 0, east = 0, ...fields }] of rows.entries()) {
    const place = offsetBy(around, north, east);
    const point = { ...missionPoint, ...place, altitude: 20, mission_id: id, sequence: index + 1, ...fields };
    const { status, body } = await api.post("/mission/point", [point]);
    if (status !== 201) throw new Error(`A point was not stored: ${JSON.stringify(body)}`);
  }
  return id;
}

/** Corners of a square, metres from its middle. */
export const square = (metres: number, north = 0, east = 0) =>
  [
    [-metres, -metres],
    [-metres, metres],
    [metres, metres],
    [metres, -metres],
  ].map(([n = 0, e = 0]) => ({ north: north + n, east: east + e }));

/** A polygon around a place. Returns its id. */
export async function storeFence(
  api: ApiClient,
  around: ObservedState,
  fence_type: "inclusion" | "exclusion",
  corners: readonly ({ north: number; east: number } & Record<string, unknown>)[],
): Promise<number> {
  const named = { name: `fence ${crypto.randomUUID()}`, type: "polygon", fence_type, enabled: false };
  const { id } = (await api.post("/geofence", named)).body;
  for (const [index, { north, east, ...fields }] of corners.entries()) {
    const point = {
      ...offsetBy(around, north, east),
      geofence_id: id,
      sequence: index + 1,
      command: 5002,
      ...fields,
    };
    const { status, body } = await api.post("/geofence/point", [point]);
    if (status !== 201) throw new Error(`A point was not stored: ${JSON.stringify(body)}`);
  }
  return id;
}

/** The mission on board as the witness reads it, without ArduPilot's item for home. */
export async function missionOnBoard({
  name,
  witness,
}: Pick<TestedVehicle, "name" | "witness">): Promise<ReceivedMessage[]> {
  const items = await witness.plan(0);
  return isPx4(name) ? items : items.slice(1);
}

/** Another ground station replaces the mission (0) or the fence (1) on board by what `change` makes of its items. */
export async function replaceOnBoard(
  { witness }: Pick<TestedVehicle, "witness">,
  kind: 0 | 1,
  change: (items: readonly ReceivedMessage[]) => readonly ReceivedMessage[],
): Promise<void> {
  const fields = ["command", "frame", "param1", "param2", "param3", "param4", "x", "y", "z"];
  const items = change(await witness.plan(kind)).map((item) =>
    fields.map((field) => (item[field] === "nan" ? null : Number(item[field]))),
  );
  const result = await witness.upload(kind, items);
  if (result !== ACCEPTED) throw new Error(`The vehicle refused the plan: MAV_MISSION_RESULT ${result}`);
}

/** MAV_MISSION_ACCEPTED. */
const ACCEPTED = 0;

/** What two readings of one plan have in common: no times and no current item. */
export const contents = (items: readonly ReceivedMessage[]): object[] =>
  items.map(({ at, current, target_system, target_component, ...item }) => item);

/** A field of an item on board as a reply's `adjusted` names it: degrees, metres, or the number itself. */
export function fieldOf(item: Readonly<Record<string, unknown>> | undefined, field: string): unknown {
  const raw = item?.[{ lat: "x", lng: "y", altitude: "z" }[field] ?? field];
  return field === "lat" || field === "lng" ? Number(raw) / 1e7 : raw;
}
