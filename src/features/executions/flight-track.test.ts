import { flight as loggedFlight, trackOf } from "../../testing/analysed-logs";
import { straightFlight } from "../../testing/flight-logs";
import { type Flight, startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const trackOfFlight = async ({ user, id }: Flight) =>
  (await user.api.get(`/executions/${id}/track`)).body.data;

/** Uploads the drone's log and has it analysed. */
async function analyse(flight: Flight, content: Buffer | string) {
  const request = { file_name: "log.bin", asset_type: "logs", execution_id: flight.id };
  const { asset_id } = await upload(flight.drone, request, content);
  await flight.drone.post(`/executions/${flight.id}/log`, { asset_id });
  return (await flight.user.api.post(`/executions/${flight.id}/analyze-log`)).status;
}

test("a track is of the execution's present log, and ends with its statistics", async () => {
  const flight = await startFlight(gateway);
  const { bytes } = loggedFlight();
  expect(await analyse(flight, bytes)).toBe(200);
  expect((await trackOfFlight(flight)).track).toEqual(trackOf(bytes));
  expect(await analyse(flight, straightFlight())).toBe(200);
  expect((await trackOfFlight(flight)).track).toEqual(trackOf(straightFlight()));
  expect(await analyse(flight, "no log")).toBe(400);
  expect(await trackOfFlight(flight)).toMatchObject({ status: "failed", track: null });

  expect(await analyse(flight, Buffer.concat([bytes, Buffer.of(0xa3)]))).toBe(200);
  expect((await trackOfFlight(flight)).track).toEqual(trackOf(bytes));
  const rows = () => gateway.deps.db("flight_tracks").where({ execution_id: flight.id });
  expect(await rows()).toHaveLength(1);
  await flight.user.api.delete(`/executions/${flight.id}`);
  expect(await rows()).toHaveLength(0);
});
