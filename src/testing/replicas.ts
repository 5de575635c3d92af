import { startSimulator } from "../simvehicle";
import { atEndOfFile } from "./clean-up";
import { cuttable } from "./cuttable";
import type { SimulatedDrone } from "./simulated-drone";
import { startTestGateway, type TestGateway, type TestUser } from "./start-gateway";
import { tapVehicle, type VehicleTap } from "./vehicle-tap";

export const TEST_PEER_SECRET = "a secret between replicas";

/** Variables of a gateway that is one of several. */
export const REPLICA_ENV = {
  LINK_LEASES: "redis",
  GATEWAY_PEER_PORT: "0",
  GATEWAY_PEER_SECRET: TEST_PEER_SECRET,
};

export interface TestReplicas {
  readonly first: TestGateway;
  readonly second: TestGateway;
  /** The first one's cable to Redis. */
  readonly redisOfFirst: Awaited<ReturnType<typeof cuttable>>;
}

/** Two gateways on one database and one Redis. */
export async function startReplicas(env: Record<string, string> = {}): Promise<TestReplicas> {
  const second = await startTestGateway({ ...REPLICA_ENV, ...env });
  const redisOfFirst = await cuttable(second.redisUrl);
  const first = await startTestGateway({
    ...REPLICA_ENV,
    DATABASE_URL: second.databaseUrl,
    REDIS_URL: redisOfFirst.url,
    ...env,
  });
  return { first, second, redisOfFirst };
}

export interface TappedDrone extends SimulatedDrone {
  readonly tap: VehicleTap;
}

/** A user's simulated drone that is dialled through a tap. */
export async function tappedDrone({ api }: TestUser): Promise<TappedDrone> {
  const simulator = await startSimulator({ speedUp: 10, vehicles: [{ kind: "copter", bootSeconds: 0 }] });
  atEndOfFile(() => simulator.stop());
  const [vehicle] = simulator.vehicles;
  if (!vehicle) throw new Error("The simulator started no vehicle.");
  const tap = await tapVehicle(vehicle);
  const { status, body } = await api.post("/drone", {
    type: "sitl",
    name: "tapped",
    vehicle_type: "copter",
    port: tap.port,
    link_host: "127.0.0.1",
  });
  if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  return { id: body.id, ip: body.ip, vehicle, tap, stop: () => simulator.stop() };
}
