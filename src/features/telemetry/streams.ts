import type { TelemetryMessage } from "../../vehicle/link";

/**
 * stream: what a watcher subscribes to; one Socket.IO room for each drone and stream.
 * type:   what a telemetry message is; a stream carries one type or several.
 */
export const STREAMS = ["gps", "logs", "relalt", "system", "dashboard"] as const;
export type Stream = (typeof STREAMS)[number];
export type TelemetryType = TelemetryMessage["type"];

const ROOM = /^drone_(\d+)_([a-z]+)$/;

/** Undefined for a room that is no drone's. */
export function parseRoom(room: string): { droneId: number; stream: Stream } | undefined {
  const [, id, name] = ROOM.exec(room) ?? [];
  const stream = STREAMS.find((known) => known === name);
  return id && stream ? { droneId: Number(id), stream } : undefined;
}

export const roomOf = (droneId: number, stream: Stream): string => `drone_${droneId}_${stream}`;

/**
 * The streams that carry a type, beside the dashboard, which carries them all. `gps` is the fused position
 * only: a raw fix among it would make a client's marker jump between the two.
 */
const narrowStream: Readonly<Record<TelemetryType, Exclude<Stream, "dashboard"> | undefined>> = {
  gps: "gps",
  raw_gps: undefined,
  home: undefined,
  relalt: "relalt",
  logs: "logs",
  hud: undefined,
  imu: undefined,
  diagnostics: "system",
  system: "system",
};

export const TELEMETRY_TYPES = Object.keys(narrowStream) as [TelemetryType, ...TelemetryType[]];

const streamsByType = new Map<TelemetryType, readonly Stream[]>(
  TELEMETRY_TYPES.map((type) => {
    const narrow = narrowStream[type];
    return [type, narrow ? [narrow, "dashboard"] : ["dashboard"]];
  }),
);

export const streamsOf = (type: TelemetryType): readonly Stream[] => streamsByType.get(type) ?? ["dashboard"];

/** Logs are events: each says something that no later one repeats. All else is a state, and the newest counts. */
export const isEvent = (type: TelemetryType): boolean => type === "logs";
