import { z } from "zod";
import { BodyId } from "../../http/route";
import { type TelemetryType, telemetryPayloads } from "../../vehicle/telemetry-messages";

/**
 * stream: a subscription of a watcher; one Socket.IO room for each drone and stream.
 * type:   the kind of a telemetry message; a stream carries one type or several.
 */
export const STREAMS = ["gps", "logs", "relalt", "system", "mission", "dashboard"] as const;
export type Stream = (typeof STREAMS)[number];

/** A client's request to subscribe or unsubscribe. */
export const StreamRequest = z.object({
  drone_id: BodyId.describe("The drone's id."),
  stream_type: z.enum(STREAMS).describe("The stream. `dashboard` carries every type."),
});
export type StreamRequest = z.output<typeof StreamRequest>;

export type { TelemetryType } from "../../vehicle/telemetry-messages";

const ROOM = /^drone_(\d+)_([a-z]+)$/;

/** Undefined for a room of another kind. */
export function parseRoom(room: string): { droneId: number; stream: Stream } | undefined {
  const [, id, name] = ROOM.exec(room) ?? [];
  const stream = STREAMS.find((known) => known === name);
  return id && stream ? { droneId: Number(id), stream } : undefined;
}

export const roomOf = (droneId: number, stream: Stream): string => `drone_${droneId}_${stream}`;

/**
 * The streams that carry a type, a narrow one before the dashboard. `gps` is the fused position only: a raw fix among
 * it would make a client's marker jump between the two.
 */
const streamsByType: Readonly<Record<TelemetryType, readonly Stream[]>> = {
  gps: ["gps", "dashboard"],
  raw_gps: ["dashboard"],
  home: ["dashboard"],
  relalt: ["relalt", "dashboard"],
  logs: ["logs", "dashboard"],
  hud: ["dashboard"],
  imu: ["dashboard"],
  diagnostics: ["system", "dashboard"],
  system: ["system", "dashboard"],
  mission: ["mission", "dashboard"],
  params: ["dashboard"],
};

export const TELEMETRY_TYPES = Object.keys(telemetryPayloads) as [TelemetryType, ...TelemetryType[]];

export const streamsOf = (type: TelemetryType): readonly Stream[] => streamsByType[type] ?? ["dashboard"];

/** Log lines are events: no later one repeats them. Other types are states: only the newest counts. */
export const isEvent = (type: TelemetryType): boolean => type === "logs";
