import { testExamples } from "../../testing/contract/examples";
import { DataFlashLog } from "../../testing/flight-logs";
import { endExecution, type Flight, startExecution, startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
const WEEK = 604_800_000;
const MINUTE = 60_000;

/** Three flights, of one, two and three minutes, an hour apart; the first began with the log at `boot`. */
function log(boot: number): Buffer {
  const written = new DataFlashLog()
    .declare(3, "EV", "QB", "TimeUS,Id")
    .declare(5, "GPS", "QBBIHBfLLfff", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,VZ");
  for (let n = 0; n < 3; n++) {
    const from = n * 3_600;
    if (n > 0) written.write("EV", from * 1e6, 10);
    for (let t = from; t <= from + (n + 1) * 60; t += 10) {
      const gps = boot - GPS_EPOCH + t * 1000;
      const [week, inWeek] = [Math.floor(gps / WEEK), gps % WEEK];
      written.write("GPS", t * 1e6, 0, 3, inWeek, week, 9, 1, 47, 8, 500, 0, 0);
    }
    written.write("EV", (from + (n + 1) * 60) * 1e6, 11);
  }
  return written.bytes;
}

async function analysed(flight: Flight, id: number, times: readonly [from: number, to: number]) {
  const [started_at, completed_at] = times.map((at) => new Date(at));
  await gateway.deps.db("executions").where({ id }).update({ started_at, completed_at });
  const { body } = await flight.user.api.post(`/executions/${id}/analyze-log`);
  const { flight_number, flight_count, flight_chosen_by, duration_seconds } = body.data.stats;
  const { track } = (await flight.user.api.get(`/executions/${id}/track`)).body.data;
  expect([track.seconds[0], track.seconds.at(-1)]).toEqual([0, duration_seconds]);
  return [flight_number, flight_count, flight_chosen_by, duration_seconds];
}

test("each execution takes its own flight of a log with several, and says which of how many", async () => {
  const flight = await startFlight(gateway);
  const boot = Date.UTC(2026, 10, 1);
  const hour = (n: number) => boot + n * 60 * MINUTE;
  const first = flight.id;
  const request = { file_name: "00000001.BIN", asset_type: "logs" };
  await upload(flight.drone, { ...request, execution_id: first }, log(boot));
  await endExecution(flight.drone, first);
  expect(await analysed(flight, first, [hour(0), hour(0) + 2 * MINUTE])).toEqual([1, 3, "time", 60]);
  expect(await analysed(flight, first, [hour(1) - 5_000, hour(1) + MINUTE])).toEqual([2, 3, "time", 120]);
  expect(await analysed(flight, first, [hour(1) + 9 * MINUTE, hour(1) + 10 * MINUTE])).toEqual([
    2,
    3,
    "order",
    120,
  ]);
  const second = await startExecution(flight.drone);
  await upload(
    flight.drone,
    { ...request, execution_id: second },
    Buffer.concat([log(boot), Buffer.of(0xa3)]),
  );
  await endExecution(flight.drone, second);
  expect(await analysed(flight, second, [hour(2), hour(2) + 3 * MINUTE])).toEqual([3, 3, "time", 180]);
  const { body } = await flight.user.api.get(`/executions/${second}/flight-stats`);
  expect(body.data).toMatchObject({ status: "ready", stats: { complete: true, damaged_bytes: 1 } });
});

testExamples(() => gateway.features.routes, ["POST /executions/:execution_id/analyze-log"]);
