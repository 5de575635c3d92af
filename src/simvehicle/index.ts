export {
  type SimulatedVehicle,
  type SimulatedVehicleOptions,
  type SimulatedVehicleState,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "./simulator";
