import type { FlightStats } from "../../../flight-log";
import type { Execution } from "../executions.store";
import { clock, metres } from "./scale";

/** The contents of a report, for both of its forms. */
export interface ReportContents {
  readonly execution: Execution;
  readonly droneName: string;
  readonly stats: FlightStats | undefined;
  readonly assets: readonly ReportAsset[];
  /** What is missing from the report, in sentences. */
  readonly missing: readonly string[];
  readonly hasMap: boolean;
  readonly hasPlot: boolean;
  /** URL of the execution in the web client. */
  readonly link: string;
}

export interface ReportAsset {
  readonly name: string;
  readonly kind: "Video" | "Picture" | "Log";
  /** Bytes. */
  readonly size: number;
  readonly url: string;
  /** Id of an inline picture. */
  readonly thumbnail: string | undefined;
}

export const statusText: Readonly<Record<Execution["status"], string>> = {
  in_progress: "In progress",
  completed: "Completed",
  aborted: "Aborted",
  error: "Ended with an error",
};

export const title = ({ execution }: ReportContents): string =>
  execution.mission_name ?? `Flight ${execution.id}`;

export const subject = (contents: ReportContents): string =>
  `${contents.droneName}: ${title(contents)} – ${statusText[contents.execution.status].toLowerCase()}`;

/** `21 November 2026, 14:05 UTC`: recipients are in several time zones. */
export const formatTime = (at: Date): string =>
  `${at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })}, ${at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })} UTC`;

interface Figure {
  readonly label: string;
  readonly value: string;
}

/** From the log, or without one from the execution itself. */
export function figures({ execution, stats }: ReportContents): Figure[] {
  if (!stats) {
    if (!execution.completed_at) return [];
    const seconds = (execution.completed_at.getTime() - execution.started_at.getTime()) / 1000;
    return [{ label: "Duration", value: clock(seconds) }];
  }
  const speed = (label: string, value: number | null): Figure[] =>
    value === null ? [] : [{ label, value: `${value.toFixed(1)} m/s` }];
  const length = (label: string, value: number | null): Figure[] =>
    value === null ? [] : [{ label, value: metres(value) }];
  const { battery } = stats;
  const used = battery && batteryUsed(battery);
  return [
    { label: "Flight time", value: clock(stats.duration_seconds) },
    ...(stats.flight_count > 1
      ? [{ label: "Flight in the log", value: `${stats.flight_number} of ${stats.flight_count}` }]
      : []),
    ...length("Distance", stats.distance_m),
    ...length("Highest altitude", stats.max_altitude_m),
    ...length("Farthest from home", stats.max_distance_from_home_m),
    ...speed("Top speed", stats.max_speed_ms),
    ...speed("Mean speed", stats.mean_speed_ms),
    ...speed("Fastest climb", stats.max_climb_ms),
    ...speed("Fastest descent", stats.max_descent_ms),
    ...(used === null ? [] : [{ label: "Battery used", value: used }]),
    ...(battery ? [{ label: "Lowest voltage", value: `${battery.min_voltage_v.toFixed(1)} V` }] : []),
  ];
}

function batteryUsed({ used_percent, used_mah }: NonNullable<FlightStats["battery"]>): string | null {
  if (used_percent !== null) return `${Math.round(used_percent)} %`;
  return used_mah === null ? null : `${Math.round(used_mah)} mAh`;
}

/** Errors and failsafes of the flight, and whether its log is damaged, in words. */
export const incidentsOf = ({ stats }: ReportContents): string[] => [
  ...(stats?.complete === false
    ? ["The log is damaged; the figures cover the part that could be read."]
    : []),
  ...(stats?.incidents ?? []).map(
    ({ seconds, text, count }) =>
      `${seconds < 0 ? "Before the flight" : clock(seconds)}: ${text}${count > 1 ? ` (${count} times)` : ""}`,
  ),
];

export const planText: Readonly<Record<Execution["plan_state"], string>> = {
  verified: "The plan on board was the one uploaded and verified.",
  different: "The plan on board differed from the one last uploaded.",
  unverified: "The plan on board was not uploaded through this service.",
  unread: "The plan on board could not be read when the flight began.",
};

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const [unit, divisor] = size < 1e6 ? ["kB", 1e3] : size < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(size / (divisor as number)).toFixed(1)} ${unit}`;
}
