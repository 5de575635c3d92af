import { strings } from "../../strings";
import type { Analysis, Flight } from "./flight-data";

const text = strings.flights.log;

interface LogStateProps {
  readonly flight: Flight;
  /** null: no log has come. */
  readonly analysis: Analysis | null;
  /** Whether the log may still come. */
  readonly isExpected: boolean;
}

/** What figures and track are of, or why there are none, in sentences. */
export const LogState = ({ flight, analysis, isExpected }: LogStateProps) => (
  <p class="log-state">{sentences(flight, analysis, isExpected).join(" ")}</p>
);

function sentences(flight: Flight, analysis: Analysis | null, isExpected: boolean): string[] {
  if (!analysis) return [isExpected ? text.notCome : text.neverCame];
  const { stats, recorded, error, status, asset_id } = analysis;
  if (status === "pending") return [text.reading];
  if (!stats) return [text.unreadable(error ?? "")];
  const { flight_number = 1, flight_count = 1, flight_chosen_by = "order" } = stats;
  const log = flight.assets.find(({ id }) => id === asset_id);
  const ofSeveral = text.ofSeveral(flight_number, flight_count) + text.chosenBy[flight_chosen_by];
  return [
    recorded ? (error ? text.recordedSince(error) : text.recorded) : text.own(log?.file_name ?? text.gone),
    ...(flight_count > 1 ? [ofSeveral] : []),
    ...(stats.complete ? [] : [text.damaged]),
  ];
}
