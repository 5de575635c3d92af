import { ApiClient } from "../client";
import type { LinkFaults } from "../worlds/faulty-link";
import { startReplicaProcess } from "../worlds/replicas";
import type { TestGateway } from "../worlds/start-gateway";
import { compiledPrograms } from "./programs";

/** An order about a plan, at a gateway process that is killed in the middle of it. */
interface KilledTransfer {
  /** One of several replicas; another one takes over. */
  readonly gateway: TestGateway;
  /** The owner's access token. */
  readonly token: string;
  readonly droneId: number;
  /** Of the way to the vehicle. */
  readonly faults: LinkFaults;
  readonly path: string;
  readonly body: object;
  /** It is killed when the vehicle has so many items. */
  readonly items: number;
}

/** Resolves when the process has ended, with whether it had replied before. */
export async function killInTransfer({
  gateway,
  token,
  droneId,
  faults,
  path,
  body,
  items,
}: KilledTransfer): Promise<boolean> {
  const process = await startReplicaProcess(compiledPrograms(), gateway);
  const api = new ApiClient(`${process.url}/api/v1`).as(token);
  await gateway.deps.links.closeEverywhere(`drone:${droneId}`, "another gateway takes over");
  let taken = 0;
  faults.onItemTaken = () => {
    taken += 1;
    if (taken === items) {
      faults.silent = true;
      process.signal("SIGKILL");
    }
  };
  const replied = api.post(`/drone/action/${path}`, { drone_id: droneId, ...body }).then(
    () => true,
    () => false,
  );
  await process.ended;
  faults.onItemTaken = undefined;
  faults.silent = false;
  return replied;
}
