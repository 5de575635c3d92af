import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { offsetBy } from "../../domain/geo";
import { packageRoot } from "../../platform/process/version";
import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { arrival, differences, type PeerFigures } from "../../testing/autopilots/recorded-flights";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { freshFolder } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { endExecution, startExecution } from "../../testing/worlds/flights";
import { droneClient } from "../../testing/worlds/uploads";

jest.setTimeout(240_000);

interface TlogFigures {
  readonly bad: number;
  readonly messages: number;
  readonly senders: Readonly<Record<string, number>>;
  readonly flights: readonly (PeerFigures & { readonly used_mah: number | null })[];
}

async function byPymavlink(file: string): Promise<TlogFigures> {
  const script = join(packageRoot, ".ci/peers/tlog_figures.py");
  return JSON.parse((await promisify(execFile)(process.env.PEERS_PYTHON as string, [script, file])).stdout);
}

/** Arms it, and goes 110 m away. */
async function flyAway({ name, order, witness }: TestedVehicle): Promise<void> {
  const { lat, lng } = await witness.fresh();
  if (!isPx4(name)) await witness.until("GUIDED", async () => (await order("guided")).status === 200);
  // Guided needs a position, which comes after the checks without one.
  await witness.until("that it arms", async () => (await order("arm")).status === 200);
  if (!isRover(name)) {
    expect((await order("takeoff", { altitude: 10 })).status).toBe(200);
    await witness.until("9 m of height", async () => (await witness.fresh()).relativeAltitude > 9);
  }
  const to = offsetBy({ lat, lng }, 100, 50);
  expect((await order("goto_gps_location", { ...to, altitude: 10 })).status).toBe(200);
  await arrival(witness, to);
}

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  beforeAll(async () => {
    vehicle = await startVehicle(name, { env: { FLIGHT_RECORDER: "on", WORKER_IN_PROCESS: "true" } });
  });
  afterAll(() => vehicle.stop());

  test("the flight of a lost drone is on record, and its figures are pymavlink's", async () => {
    const { api, droneId, witness, autopilot, gateway } = vehicle;
    const { body } = await api.get("/drones");
    const drone = droneClient(gateway.api, body.find(({ id }: { id: number }) => id === droneId).ip);
    const id = await startExecution(drone);
    await flyAway(vehicle);
    const lost = await witness.fresh();
    autopilot.kill();
    await endExecution(drone, id, "error");
    const stats = await until(async () => {
      const { data } = (await api.get(`/executions/${id}/flight-stats`)).body;
      return data?.status === "ready" ? data : false;
    }, 60_000);
    expect(stats.recorded).toBe(true);
    const records = (await api.get(`/executions/${id}`)).body.data.assets;
    expect(records).toMatchObject([{ id: stats.asset_id, recorded: true, status: "ready" }]);
    const { download_url } = (await api.get(`/assets/${droneId}/download/${stats.asset_id}`)).body;
    const file = join(freshFolder("record"), "flight.tlog");
    writeFileSync(file, Buffer.from(await (await fetch(download_url)).arrayBuffer()));
    const theirs = await byPymavlink(file);
    const ours = stats.stats;
    expect(theirs.bad).toBe(0);
    expect(theirs.senders["245"]).toBeGreaterThan(0);
    expect(ours).toMatchObject({ format: "tlog", complete: true, messages: theirs.messages });
    expect(ours).toMatchObject({ flight_number: 1, flight_count: 1, flight_chosen_by: "time" });
    expect(theirs.flights).toHaveLength(1);
    // A telemetry log has the battery in per cent.
    expect(differences(true, ours, theirs.flights[0])).toEqual([]);
    expect(ours.distance_m).toBeGreaterThan(100);
    if (!isRover(name)) expect(ours.max_altitude_m).toBeGreaterThan(lost.relativeAltitude - 1);
  });
});
