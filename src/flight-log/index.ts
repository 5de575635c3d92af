export { analyseFlightLog } from "./analyse";
export { neededNumbers } from "./dataflash/flight";
export { DataFlashReader } from "./dataflash/reader";
export { readLogFile } from "./read-file";
export type { FlightLogResult, FlightStats } from "./result";
