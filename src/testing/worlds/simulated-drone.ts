import { TlogReader } from "../../flight-log/tlog/reader";
import type { LinkTarget } from "../../vehicle";
import { decode } from "../../vehicle/mavlink/wire/codec";
import { atEndOfFile } from "../clean-up";
import type { ApiClient } from "../client";
import { until } from "../until";
import { startTestSimulator, type TestVehicle, type TestVehicleOptions } from "./simulator";
import type { TestGateway, TestUser } from "./start-gateway";
import { droneClient } from "./uploads";

/** A drone as its owner's API calls know it, and the simulated vehicle that answers for it. */
export interface SimulatedDrone {
  readonly id: number;
  readonly ip: string;
  readonly vehicle: TestVehicle;
  /** Stops the vehicle; the drone's row stays. */
  stop(): Promise<void>;
}

/**
 * A user's simulated drone with a vehicle of its own that is ready to arm, flying ten times as fast as life. It is
 * stopped after the file's tests.
 */
export async function simulatedDrone(
  api: ApiClient,
  options: Partial<TestVehicleOptions> = {},
): Promise<SimulatedDrone> {
  const kind = options.kind ?? "copter";
  const { vehicle, stop } = await startTestSimulator([{ ...options, kind }], 10);
  atEndOfFile(stop);
  const { status, body } = await api.post("/drone", {
    type: "sitl",
    name: `simulated ${kind}`,
    vehicle_type: kind,
    port: vehicle.port,
    link_host: vehicle.host,
  });
  if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
  return { id: body.id, ip: body.ip, vehicle, stop };
}

/** A simulated drone whose link a test's own recorder listens to. */
export interface LinkedDrone extends SimulatedDrone {
  readonly user: TestUser;
  /** Of the onboard agent. */
  readonly api: ApiClient;
  readonly target: LinkTarget;
}

export async function linkedDrone(gateway: TestGateway): Promise<LinkedDrone> {
  const user = await gateway.newUser();
  const drone = await simulatedDrone(user.api);
  const { host, port } = drone.vehicle;
  const target = { key: `drone:${drone.id}`, host, port, via: "direct" } as const;
  return { ...drone, user, api: droneClient(gateway.api, drone.ip), target };
}

interface ShownAsset {
  readonly id: number;
  readonly status: string;
  readonly recorded: boolean;
  readonly execution_id: number | null;
  readonly file_name: string;
  readonly size: number;
  readonly sha256: string | null;
}

export const assetsOf = async ({ user, id }: LinkedDrone): Promise<ShownAsset[]> =>
  (await user.api.get(`/assets/${id}`)).body.data;

/** The drone's only record, once it is joined. */
export const recordOf = (drone: LinkedDrone): Promise<ShownAsset> =>
  until(async () => {
    const [record, ...others] = await assetsOf(drone);
    expect(others).toEqual([]);
    return record?.status === "ready" ? record : false;
  }, 30_000);

export async function contentOf(drone: LinkedDrone, { id }: { id: number }): Promise<Buffer> {
  const { download_url } = (await drone.user.api.get(`/assets/${drone.id}/download/${id}`)).body;
  return Buffer.from(await (await fetch(download_url)).arrayBuffer());
}

export const framesOf = async (drone: LinkedDrone, record: { id: number }) =>
  framesIn(await contentOf(drone, record));

/** `at`: milliseconds since 1970. */
export function framesIn(bytes: Buffer) {
  const frames: { at: number; systemId: number; message: ReturnType<typeof decode> }[] = [];
  const reader = new TlogReader((frame, at) => {
    frames.push({ at: at / 1000, systemId: frame.systemId, message: decode(frame) });
  });
  expect(reader.read(bytes, bytes.length)).toBe(bytes.length);
  expect(reader.counters.damagedBytes).toBe(0);
  return frames;
}
