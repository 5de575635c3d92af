import type { ContractWorld } from "../contract";
import { eventually } from "../until";
import { type SimulatedDrone, simulatedDrone } from "./simulated-drone";
import type { TestVehicleOptions } from "./simulator";
import { startTestGateway } from "./start-gateway";

/** A gateway, a user and the user's simulated drone, for the tests of one file. */
export async function gatewayWithDrone() {
  const gateway = await startTestGateway();
  const user = await gateway.newUser();
  return { gateway, user, drone: await simulatedDrone(user.api) };
}

/** What a reply to an order says of the vehicle's acknowledgement. */
export const accepted = { result: "MAV_RESULT_ACCEPTED", status_text: expect.any(Array) };

interface FlownWorld extends ContractWorld {
  readonly drone: SimulatedDrone;
  /** Orders the case's own drone. */
  readonly order: (path: string, body?: object) => ReturnType<ContractWorld["user"]["api"]["post"]>;
}

/** A case with a drone of the user's own in the air, or ready for it. */
export const withFlownDrone =
  (run: (world: FlownWorld) => Promise<void>, options: Partial<TestVehicleOptions> = {}) =>
  async (world: ContractWorld) => {
    const { api } = world.user;
    const drone = await simulatedDrone(api, options);
    const order: FlownWorld["order"] = (path, body = {}) =>
      api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
    try {
      await run({ ...world, drone, order });
    } finally {
      await drone.stop();
    }
  };

/** Returns when the drone is in the air. */
export const takeOff = async ({ order, drone }: FlownWorld) => {
  await order("guided");
  await order("arm");
  await order("takeoff", { altitude: 10 });
  await eventually("it is up", () => drone.vehicle.state.relativeAltitude > 9);
};
