import type { ApiClient } from "../client";
import { startTestGateway, type TestGateway, type TestUser } from "../worlds/start-gateway";
import { Autopilot, type AutopilotName, isPx4, isRover } from "./autopilot";
import { Witness } from "./witness";

/** A real autopilot, the drone that an owner has of it, and the witness. */
export interface TestedVehicle {
  readonly name: AutopilotName;
  readonly autopilot: Autopilot;
  readonly witness: Witness;
  readonly gateway: TestGateway;
  readonly api: ApiClient;
  readonly owner: TestUser;
  readonly droneId: number;
  /** Gives the drone an order as its owner: `order("takeoff", { altitude: 10 })`. */
  order(path: string, body?: Record<string, unknown>): ReturnType<ApiClient["post"]>;
  /** Gives an order that must succeed. Rejects with the answer and the vehicle's texts. */
  carryOut(path: string, body?: Record<string, unknown>): Promise<void>;
  /** Resolves once it is disarmed, as after a landing. */
  disarmed(): Promise<void>;
  /** Ends all of it, for the next vehicle of the file. */
  stop(): Promise<void>;
}

/** Resolves when the vehicle is ready to arm. */
export async function startVehicle(
  name: AutopilotName,
  { speed = 3, env = {} }: { speed?: number; env?: Record<string, string> } = {},
): Promise<TestedVehicle> {
  const [gateway, autopilot] = await Promise.all([
    startTestGateway({ QUOTA_ORDERS: "0", ...env }),
    Autopilot.start(name, { speed }),
  ]);
  const owner = await gateway.newUser();
  const { status, body } = await owner.api.post("/drone", {
    type: "sitl",
    name,
    vehicle_type: isRover(name) ? "rover" : "copter",
    link_host: "127.0.0.1",
    port: autopilot.port,
  });
  if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  // A flight may last longer than an access token.
  const asOwner = () => gateway.api.as(gateway.features.account.tokens.pair(owner.id).access_token);
  const order = (path: string, fields: Record<string, unknown> = {}) =>
    asOwner().post(`/drone/action/${path}`, { drone_id: body.id, ...fields });
  // ArduPilot boots when its first port is connected to, and its second port answers then.
  await owner.api.get(`/drone/action/connection?id=${body.id}`);
  const witness = Witness.at(autopilot.witnessPort);
  await witness.readyToArm();
  const carryOut = async (path: string, fields: Record<string, unknown> = {}) => {
    const since = await witness.now();
    const answer = await order(path, fields);
    if (answer.status !== 200) throw notCarriedOut(path, answer, await witness.texts(since));
  };
  const disarmed = async () =>
    void (await witness.until("that it is disarmed", async () => !(await witness.fresh()).armed, 90));
  const stop = async () => {
    witness.stop();
    await gateway.lifecycle.stop("the next vehicle");
    await autopilot.stop();
  };
  return {
    ...{ name, autopilot, witness, gateway, owner, droneId: body.id, order, carryOut, disarmed, stop },
    get api() {
      return asOwner();
    },
  };
}

/** It stays armed on the ground, however slow the machine is. By itself only ArduPilot's rover does. */
export async function stayArmed({ name, witness }: TestedVehicle): Promise<void> {
  if (isPx4(name)) await witness.setParam("COM_DISARM_PRFLT", -1);
  else if (!isRover(name)) await witness.setParam("DISARM_DELAY", 0);
}

/** Why an order that must succeed did not. */
export const notCarriedOut = (
  path: string,
  { status, body }: { readonly status: number; readonly body: unknown },
  texts: readonly string[],
): Error => new Error(`${path} answered ${status} (${JSON.stringify(body)}). It said: ${texts.join(" | ")}`);
