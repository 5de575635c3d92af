export { analyseFlightLog } from "./analyse";
export { neededNumbers } from "./dataflash/flight";
export { DataFlashReader } from "./dataflash/reader";
export { readAhead } from "./read-ahead";
export type { FlightLogResult, FlightStats } from "./result";
