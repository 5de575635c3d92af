import type { Execution } from "../executions.store";
import type { FlightSummary } from "./flight-summary";
import { clock, metres } from "./scale";

/** The contents of a report, for both of its forms. */
export interface ReportContents {
  readonly execution: Execution;
  readonly droneName: string;
  readonly summary: FlightSummary | undefined;
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
export function figures({ execution, summary }: ReportContents): Figure[] {
  if (!summary) {
    if (!execution.completed_at) return [];
    const seconds = (execution.completed_at.getTime() - execution.started_at.getTime()) / 1000;
    return [{ label: "Duration", value: clock(seconds) }];
  }
  const speed = (label: string, value: number | null): Figure[] =>
    value === null ? [] : [{ label, value: `${value.toFixed(1)} m/s` }];
  const length = (label: string, value: number | null): Figure[] =>
    value === null ? [] : [{ label, value: metres(value) }];
  const { batteryUsed, minVoltage } = summary;
  return [
    { label: "Flight time", value: clock(summary.durationSeconds) },
    ...length("Distance", summary.distance),
    ...length("Highest altitude", summary.maxAltitude),
    ...length("Farthest from home", summary.maxDistanceFromHome),
    ...speed("Top speed", summary.maxSpeed),
    ...speed("Mean speed", summary.meanSpeed),
    ...speed("Fastest climb", summary.maxClimb),
    ...speed("Fastest descent", summary.maxDescent),
    ...(batteryUsed === null ? [] : [{ label: "Battery used", value: batteryUsed }]),
    ...(minVoltage === null ? [] : [{ label: "Lowest voltage", value: `${minVoltage.toFixed(1)} V` }]),
  ];
}

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
