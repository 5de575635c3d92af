export { analyseFlightLog } from "./analyse";
// For the benchmark of the decoder.
export { neededNumbers } from "./dataflash/flight";
export { DataFlashReader } from "./dataflash/reader";
export { type FlightLogResult, FlightStats, type FlightTime, FlightTrack } from "./result";
