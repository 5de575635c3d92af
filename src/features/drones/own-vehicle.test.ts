import { startSimulator } from "../../simvehicle";
import { TEST_EDGE_SECRET } from "../../testing/access/user-objects";
import { atEndOfFile } from "../../testing/clean-up";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

const [FIRST_PORT, COPTERS, ROVERS] = [24_760, 2, 1];
const home = { lat: 47.397742, lng: 8.545594, altitude: 488 };

let gateway: TestGateway;
beforeAll(async () => {
  const simulator = await startSimulator({
    ...{ host: "127.0.0.1", speedUp: 10 },
    vehicles: Array.from({ length: COPTERS + ROVERS }, (_, at) => ({
      ...({ autopilot: "ardupilot", systemId: 1, bootSeconds: 0, home } as const),
      ...{ kind: at < COPTERS ? "copter" : "rover", port: FIRST_PORT + at },
    })),
  });
  atEndOfFile(() => simulator.stop());
  gateway = await startTestGateway({
    ...{ ACCESS_PROFILE: "strict", EDGE_SECRET: TEST_EDGE_SECRET },
    SIMULATED_LINK_PORT: String(FIRST_PORT),
    SIMULATED_LINK_COPTERS: String(COPTERS),
    SIMULATED_LINK_ROVERS: String(ROVERS),
  });
});

const add = ({ api }: TestUser, input: object = {}) =>
  api.post("/drone", { type: "sitl", name: "Mine", vehicle_type: "copter", ...input });

test("two users fly simulated copters of their own at the same time, while each watches", async () => {
  const users = [await gateway.newUser(), await gateway.newUser()];
  const drones = [];
  for (const user of users) drones.push({ user, ...(await add(user)).body });
  expect(drones.map(({ port, link_host }) => [port, link_host])).toEqual([
    [FIRST_PORT, null],
    [FIRST_PORT + 1, null],
  ]);
  const heights = await Promise.all(
    drones.map(async ({ id, user }, at) => {
      const watcher = new TestWatcher(gateway.url, user.token);
      await watcher.subscribe(id, "relalt");
      const order = (path: string, body: object = {}) =>
        user.api.post(`/drone/action/${path}`, { drone_id: id, ...body });
      expect(await order("guided")).toMatchObject({ status: 200 });
      expect(await order("arm")).toMatchObject({ status: 200 });
      const altitude = 10 + 20 * at;
      expect(await order("takeoff", { altitude })).toMatchObject({ status: 200 });
      const height = () => (watcher.all("telemetry_data").at(-1)?.data as { data: number } | undefined)?.data;
      await eventually("it is up there", () => Math.abs((height() ?? 0) - altitude) < 1);
      return altitude;
    }),
  );
  expect(heights).toEqual([10, 30]);
});

test("nobody names the vehicle of another user; a drone beyond the last vehicle shares the one that the fewest have", async () => {
  const [owner, other, third] = [await gateway.newUser(), await gateway.newUser(), await gateway.newUser()];
  const rover = (await add(owner, { vehicle_type: "rover" })).body;
  expect(rover.port).toBe(FIRST_PORT + COPTERS);
  const refusal = { status: 400, body: { error: expect.stringContaining("another user") } };
  expect(await add(other, { port: rover.port })).toMatchObject(refusal);
  expect(await add(other, { port: rover.port, link_host: "127.0.0.1" })).toMatchObject(refusal);
  const { id, port } = (await add(other)).body;
  expect(port).toBe(FIRST_PORT);
  expect(await other.api.put(`/drone/${id}`, { port: rover.port })).toMatchObject(refusal);
  expect(await other.api.put(`/drone/${id}`, { name: "Renamed", port })).toMatchObject({ status: 201 });
  // The first port has two drones, the second one.
  expect((await add(third)).body.port).toBe(FIRST_PORT + 1);
  await owner.api.delete(`/drone/${rover.id}`);
  expect(await other.api.put(`/drone/${id}`, { port: rover.port })).toMatchObject({ status: 201 });
});

test("a port that was left is given to a new drone after those that were left before", async () => {
  const strict = await startTestGateway({ SIMULATED_LINK_PORT: "26000", SIMULATED_LINK_COPTERS: "3" });
  const user = await strict.newUser();
  const ports: number[] = [];
  for (let n = 0; n < 6; n++) {
    const { id, port } = (await add(user)).body;
    ports.push(port - 26_000);
    await user.api.delete(`/drone/${id}`);
  }
  expect(ports).toEqual([0, 1, 2, 0, 1, 2]);
});
