export { type SimulatedVehicleOptions, startSimulator } from "./simulator";
