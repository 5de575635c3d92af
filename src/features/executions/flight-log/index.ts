export { analyseFlightLog } from "./analyse";
export type { FlightLogResult, FlightStats } from "./result";
