import type { Drone } from "../features/drones";
import { type SimulatedVehicle, type SimulatedVehicleOptions, startSimulator } from "../simvehicle";
import { atEndOfFile } from "./clean-up";
import type { ApiClient } from "./client";

/** A simulated drone of a user, and the vehicle that it is. */
export interface SimulatedDrone {
  readonly drone: Pick<Drone, "id" | "ip" | "port">;
  readonly vehicle: SimulatedVehicle;
  /** Also done at the end of the test file. */
  stop(): Promise<void>;
}

/** Start a vehicle on a free loopback port and add it as the user's drone. A copter by default. */
export async function simulatedDrone(
  { api }: { readonly api: ApiClient },
  options: Partial<SimulatedVehicleOptions> & { readonly speedUp?: number } = {},
): Promise<SimulatedDrone> {
  const { speedUp, ...vehicleOptions } = options;
  const simulator = await startSimulator({ speedUp, vehicles: [{ kind: "copter", ...vehicleOptions }] });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= simulator.stop();
    return stopped;
  };
  atEndOfFile(stop);
  const [vehicle] = simulator.vehicles as [SimulatedVehicle];
  const reply = await api.post("/drone", {
    type: "sitl",
    name: "Simulated",
    vehicle_type: vehicleOptions.kind ?? "copter",
    port: vehicle.port,
    link_host: vehicle.host,
  });
  if (reply.status !== 201) throw new Error(`The drone was not added: ${JSON.stringify(reply.body)}`);
  return { drone: reply.body, vehicle, stop };
}
