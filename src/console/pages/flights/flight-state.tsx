import { strings } from "../../strings";
import type { Execution } from "./flight-data";

/** The state in words, with a mark that tells a live flight from one that is over. */
export const FlightState = ({ status }: Pick<Execution, "status">) => (
  <span class={`flight-state ${status}`}>{strings.flights.states[status]}</span>
);
