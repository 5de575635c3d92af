import { parseJsonBody } from "../../../http/body";
import type { Geofence } from "../../geofences";
import type { Mission } from "../../missions";
import {
  featuresOfGeofence,
  featuresOfMission,
  type GeoFile,
  geofencesOf,
  lostOfGeofence,
  missionOf,
  withoutDefaults,
} from "./geo-features";
import { GEOJSON_TYPES, readGeoJson, writeGeoJson } from "./geojson";
import { readKml, writeKml } from "./kml";
import { kmlOfKmz } from "./kmz";
import {
  type Format,
  type LeftOutList,
  type ReadGeofences,
  type ReadMission,
  refuseFile,
  type WrittenFile,
} from "./plan-file";
import { readPlanFences, readPlanMission } from "./qgc-plan";
import { readWaypointFences, readWaypoints, writeWaypointFence, writeWaypoints } from "./waypoints";
import { writePlanFence, writePlanMission } from "./write-qgc-plan";

export {
  FORMATS,
  type Format,
  type LeftOut,
  LeftOutList,
  type ReadGeofences,
  type ReadMission,
  refuseFile,
} from "./plan-file";

/** What all readers get: a text without a byte order mark, and what it says where it is JSON. */
interface Content {
  readonly format: Exclude<Format, "kmz">;
  readonly text: string;
  readonly json?: unknown;
}

/**
 * The mission in a file. `named` is the format that its sender names; `altitude`, in metres above home, is for positions
 * without a height. Throws `invalid_input`, `malformed_body` or `body_too_large`.
 */
export async function readMission(
  file: Buffer,
  named: Format | undefined,
  altitude: number | undefined,
  leftOut: LeftOutList,
): Promise<ReadMission> {
  const content = await contentOf(file, named);
  const mission = missionIn(content, altitude, leftOut);
  if (mission.points.length === 0) refuseFile("file", "has no waypoint");
  return mission;
}

function missionIn(content: Content, altitude: number | undefined, leftOut: LeftOutList): ReadMission {
  if (content.format === "plan") return readPlanMission(content.json, leftOut);
  if (content.format === "waypoints") return readWaypoints(content.text, leftOut);
  return missionOf(geoFileOf(content, leftOut), altitude, leftOut);
}

/** The geofences in a file. Throws as `readMission` does. */
export async function readGeofences(
  file: Buffer,
  named: Format | undefined,
  leftOut: LeftOutList,
): Promise<ReadGeofences> {
  const content = await contentOf(file, named);
  const read = geofencesIn(content, leftOut);
  if (read.geofences.length === 0) refuseFile("file", "has no geofence");
  return read;
}

function geofencesIn(content: Content, leftOut: LeftOutList): ReadGeofences {
  if (content.format === "plan") return readPlanFences(content.json, leftOut);
  if (content.format === "waypoints") return readWaypointFences(content.text, leftOut);
  return geofencesOf(geoFileOf(content, leftOut), leftOut);
}

const geoFileOf = ({ format, text, json }: Content, leftOut: LeftOutList): GeoFile =>
  format === "kml" ? readKml(text, leftOut) : readGeoJson(json, leftOut);

async function contentOf(file: Buffer, named: Format | undefined): Promise<Content> {
  if (file.length === 0) refuseFile("file", "is empty");
  if (file.subarray(0, 2).toString("latin1") === "PK") {
    if (named && named !== "kmz") refuseFile("file", `is a zip archive, not ${named}`);
    return { format: "kml", text: decoded(await kmlOfKmz(file)) };
  }
  const content = recognised(decoded(file));
  if (!content) refuseFile("file", "is none of plan, waypoints, kml, kmz and geojson");
  if (named && named !== content.format) refuseFile("file", `is ${content.format}, not ${named}`);
  return content;
}

/** By how the text begins, and by the kind that a JSON file says. */
function recognised(text: string): Content | undefined {
  const start = text.trimStart().slice(0, 8);
  if (start.startsWith("QGC WPL")) return { format: "waypoints", text };
  if (start.startsWith("<")) return { format: "kml", text };
  if (!start.startsWith("{")) return undefined;
  const json = parseJsonBody(Buffer.from(text));
  const { fileType, type } = json as { fileType?: unknown; type?: unknown };
  if (fileType === "Plan") return { format: "plan", text, json };
  return GEOJSON_TYPES.has(type) ? { format: "geojson", text, json } : undefined;
}

/** The file as text. Throws `invalid_input` for another encoding than UTF-8. */
function decoded(file: Buffer): string {
  const mark = file.subarray(0, 2).toString("hex");
  if (mark === "fffe" || mark === "feff") refuseFile("file", "is UTF-16; save it as UTF-8");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch (cause) {
    return refuseFile("file", "is not UTF-8", cause);
  }
  if (text.includes("\u0000")) refuseFile("file", "has bytes of zero: it is no text in UTF-8");
  return text;
}

export type WrittenFormat = Exclude<Format, "kmz">;

/** The mission as a file. */
export function writeMission(mission: Mission, format: WrittenFormat): WrittenFile {
  const file = missionFile(mission, format);
  // An import numbers the rows from 1.
  const isNumbered = mission.mission_points.every(({ sequence }, index) => sequence === index + 1);
  return isNumbered ? file : { ...file, leftOut: [...file.leftOut, "sequence"] };
}

function missionFile(mission: Mission, format: WrittenFormat): WrittenFile {
  if (format === "plan") return writePlanMission(mission);
  if (format === "waypoints") return writeWaypoints(mission);
  const features = featuresOfMission(mission);
  if (format === "kml") return writeKml(mission.name, features.map(withoutDefaults));
  return { text: writeGeoJson(mission.name, features), leftOut: [] };
}

/** The geofence as a file. */
export function writeGeofence(geofence: Geofence, format: WrittenFormat): WrittenFile {
  if (format === "plan") return writePlanFence(geofence);
  if (format === "waypoints") return writeWaypointFence(geofence);
  const features = featuresOfGeofence(geofence);
  const lost = lostOfGeofence(geofence);
  if (format === "geojson") return { text: writeGeoJson(geofence.name, features), leftOut: lost };
  const { text, leftOut } = writeKml(geofence.name, features);
  return { text, leftOut: [...leftOut, ...lost].filter((field) => field !== "label") };
}
