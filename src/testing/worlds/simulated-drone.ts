import type { ApiClient } from "../client";
import { startTestSimulator, type TestVehicle, type TestVehicleOptions } from "./simulator";

/** A drone as its owner's API calls know it, and the simulated vehicle that answers for it. */
export interface SimulatedDrone {
  readonly id: number;
  readonly ip: string;
  readonly vehicle: TestVehicle;
  /** Stops the vehicle; the drone's row stays. */
  stop(): Promise<void>;
}

/** A user's simulated drone with a vehicle of its own that is ready to arm, flying ten times as fast as life. */
export async function simulatedDrone(
  api: ApiClient,
  options: Partial<TestVehicleOptions> = {},
): Promise<SimulatedDrone> {
  const kind = options.kind ?? "copter";
  const { vehicle, stop } = await startTestSimulator([{ ...options, kind }], 10);
  const { status, body } = await api.post("/drone", {
    type: "sitl",
    name: `simulated ${kind}`,
    vehicle_type: kind,
    port: vehicle.port,
    link_host: vehicle.host,
  });
  if (status !== 201) {
    await stop();
    throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  }
  return { id: body.id, ip: body.ip, vehicle, stop };
}
