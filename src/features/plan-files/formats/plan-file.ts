import { DomainError } from "../../../domain/errors";
import type { Geofence } from "../../geofences";
import type { Mission } from "../../missions";

export const FORMATS = ["plan", "waypoints", "kml", "kmz", "geojson"] as const;
export type Format = (typeof FORMATS)[number];

/** Something that a file has and that is not stored, or not as the file has it. */
export interface LeftOut {
  /** Item or line: "item 7", "line 12", `Placemark "x"`. */
  readonly at: string;
  readonly what: string;
  readonly why: string;
}

export type Waypoint = Omit<Mission["mission_points"][number], "id" | "mission_id" | "sequence">;

/** A waypoint of a file. Its place is its index. Its values are not checked yet. */
export interface ReadWaypoint {
  readonly at: string;
  readonly point: Waypoint;
}

export interface ReadMission {
  /** The file's own name for it. */
  readonly name?: string | undefined;
  readonly points: readonly ReadWaypoint[];
}

export interface ReadVertex {
  readonly lat: number;
  readonly lng: number;
  /** MAV_FRAME. */
  readonly frame: number;
}

/** A geofence of a file. Its values are not checked yet. */
export interface ReadGeofence extends Partial<Pick<Geofence, "fence_type" | "enabled">> {
  readonly at: string;
  readonly type: Geofence["type"];
  /** Metres, of a circle. */
  readonly radius?: number;
  readonly points: readonly ReadVertex[];
}

export interface ReadGeofences {
  /** The file's own name for them. */
  readonly name?: string | undefined;
  readonly geofences: readonly ReadGeofence[];
}

/** A plan as a file, and the fields of it that the format cannot say. */
export interface WrittenFile {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/** Entries of one reply. */
const MOST_LEFT_OUT = 200;

/** What a file has and the plan has not, as far as a reply lists it. */
export class LeftOutList {
  private readonly entries: LeftOut[] = [];
  private further = 0;

  add(at: string, what: string, why: string): void {
    if (this.entries.length < MOST_LEFT_OUT) this.entries.push({ at, what, why });
    else this.further += 1;
  }

  get list(): readonly LeftOut[] {
    if (this.further === 0) return this.entries;
    return [
      ...this.entries,
      { at: "file", what: `${this.further} further entries`, why: "The list is cut." },
    ];
  }
}

/** Refuses the file; `at` names the item or the line. */
export function refuseFile(at: string, fault: string, cause?: unknown): never {
  throw new DomainError("invalid_input", `${at}: ${fault}`, { cause });
}

/** A decimal number, as JSON writes it or with a leading plus; undefined for any other text, and beyond a double. */
export function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
