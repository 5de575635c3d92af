import { atEndOfFile } from "../../testing";
import { eventually } from "../../testing/until";
import { faultyLink } from "../../testing/worlds/faulty-link";
import { missionPoint } from "../../testing/worlds/plans";
import { startTestSimulator } from "../../testing/worlds/simulator";
import { startTestGateway } from "../../testing/worlds/start-gateway";

jest.setTimeout(120_000);

const ROWS = 6;
/** Of the old mission, which is read before an upload: its rows, its takeoff and home. */
const OLD_ITEMS = 3 + 2;
/** Home, the takeoff and two rows. */
const SENT_ITEMS = 4;

test("a mission that a broken upload left half is told to be mixed, with the rows of the new one that it lacks", async () => {
  const gateway = await startTestGateway();
  const { vehicle, stop } = await startTestSimulator([{ kind: "copter" }], 6);
  atEndOfFile(stop);
  const { port, faults } = await faultyLink(vehicle);
  const { api } = await gateway.newUser();
  const drone = { type: "sitl", name: "far", vehicle_type: "copter", port, link_host: vehicle.host };
  const { id } = (await api.post("/drone", drone)).body;
  const order = (path: string, body = {}) => api.post(`/drone/action/${path}`, { drone_id: id, ...body });
  const store = async (altitude: number, rows: number): Promise<number> => {
    const mission = (await api.post("/mission", { name: `at ${altitude} m` })).body.id;
    const { lat, lng, type } = missionPoint;
    const points = Array.from({ length: rows }, (_, at) => ({
      ...{ lat: lat + at / 100, lng, type, altitude },
      sequence: at + 1,
    }));
    expect((await api.post(`/mission/${mission}/points`, points)).status).toBe(201);
    return mission;
  };
  const [before, after] = [await store(30, 3), await store(50, ROWS)];
  expect((await order("push_mission", { mission_id: before })).status).toBe(200);
  await order("guided");
  await order("arm");
  await order("takeoff", { altitude: 10 });
  await eventually("it is up", () => vehicle.state.relativeAltitude > 9);
  expect((await order("set_mode", { mode_info: { custom_mode: "AUTO" } })).status).toBe(200);

  faults.dropAfterItems = OLD_ITEMS + SENT_ITEMS;
  const broken = await order("push_mission", { mission_id: after, force: true });
  expect(broken.status).toBe(500);
  const { status, body } = await api.get(`/drone/${id}/onboard/mission?mission_id=${after}`);
  expect(status).toBe(200);
  const altitudes = body.items.map(({ altitude }: { altitude: number }) => altitude);
  const come = altitudes.filter((altitude: number) => altitude === 50).length;
  expect(come).toBeGreaterThan(1);
  expect(come).toBeLessThan(altitudes.length);
  const sequences = Array.from({ length: ROWS }, (_, at) => at + 1);
  expect(body).toMatchObject({
    ...{ state: "mixed", mission_id: null, verified_at: null, same: false, extra: [] },
    differences: sequences
      .slice(come - 1, altitudes.length - 1)
      .map((sequence) => ({ sequence, field: "altitude", stored: 50, on_board: 30 })),
    missing: sequences.slice(altitudes.length - 1),
  });
});
