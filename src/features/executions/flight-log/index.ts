export { analyseFlightLog } from "./analyse";
export { DataFlashReader } from "./dataflash/reader";
export type { FlightLogResult, FlightStats } from "./result";
