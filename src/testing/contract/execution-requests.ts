import { droneClient } from "../worlds/uploads";
import type { ContractWorld } from ".";

export const refusal = (code: number) => ({ status: code, body: { success: false, error: { code } } });

/** A drone of the case's user with an execution in progress. */
export async function flying({ user, anonymous }: ContractWorld) {
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  const drone = droneClient(anonymous, body.ip);
  const started = await drone.post("/executions/start", {});
  return { vehicle: body.id as number, drone, started, id: started.body.id as number };
}

export async function foreignDrone({ otherUser, anonymous }: ContractWorld) {
  const { body } = await otherUser.api.post("/drone", { type: "sitl", name: "Other", vehicle_type: "rover" });
  return droneClient(anonymous, body.ip);
}

export const foreignAndMissing = async (
  { otherUser, user }: ContractWorld,
  method: string,
  id: number,
  rest: string,
  body?: unknown,
) => {
  expect(await otherUser.api.send(method, `/executions/${id}${rest}`, body)).toMatchObject(refusal(404));
  expect(await user.api.send(method, `/executions/2000000000${rest}`, body)).toMatchObject(refusal(404));
};
