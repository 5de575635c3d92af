import { startSimulator } from "../../simvehicle";
import { TEST_EDGE_SECRET } from "../../testing/access/user-objects";
import { atEndOfFile } from "../../testing/clean-up";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

const [FIRST_PORT, COPTERS, ROVERS] = [24_760, 2, 1];
const STRICT = { ACCESS_PROFILE: "strict", EDGE_SECRET: TEST_EDGE_SECRET };
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
    ...STRICT,
    SIMULATOR_PORT: String(FIRST_PORT),
    SIMULATOR_COPTERS: String(COPTERS),
    SIMULATOR_ROVERS: String(ROVERS),
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

/** A gateway without a simulator, whose ports begin at 26,000. */
const gatewayWith = (env: Record<string, string>) => startTestGateway({ SIMULATOR_PORT: "26000", ...env });

async function subscriber(at: TestGateway): Promise<TestUser> {
  const user = await at.newUser();
  await saveSubscription(at.deps.db, user.id, { status: "active", vehicle_count: 5 });
  return user;
}

test("in strict nobody names the vehicle of another user", async () => {
  const strict = await gatewayWith({ ...STRICT, SIMULATOR_ROVERS: "1" });
  const [owner, other] = [await strict.newUser(), await strict.newUser()];
  const rover = (await add(owner, { vehicle_type: "rover" })).body;
  expect(rover.port).toBe(26_001);
  const refusal = { status: 400, body: { error: expect.stringContaining("another user") } };
  expect(await add(other, { port: rover.port })).toMatchObject(refusal);
  expect(await add(other, { port: rover.port, link_host: "127.0.0.1" })).toMatchObject(refusal);
  const { id, port } = (await add(other)).body;
  expect(port).toBe(26_000);
  expect(await other.api.put(`/drone/${id}`, { port: rover.port })).toMatchObject(refusal);
  expect(await other.api.put(`/drone/${id}`, { name: "Renamed", port })).toMatchObject({ status: 201 });
  await owner.api.delete(`/drone/${rover.id}`);
  expect(await other.api.put(`/drone/${id}`, { port: rover.port })).toMatchObject({ status: 201 });
});

test("in strict a drone without a port is refused while every vehicle of its kind belongs to a drone", async () => {
  const counts = { SIMULATOR_COPTERS: "2", SIMULATOR_ROVERS: "1" };
  const strict = await gatewayWith({ ...STRICT, ...counts });
  const [owner, other] = [await subscriber(strict), await subscriber(strict)];
  const first = (await add(owner)).body;
  expect([first.port, (await add(owner, { link_host: "127.0.0.1" })).body.port]).toEqual([26_000, 26_001]);
  const refusal = (variable: string, count: number) => {
    const error = expect.stringMatching(`in use .${count} of ${count}.*[Dd]elete .* drone.*${variable}`);
    return { status: 409, body: { error } };
  };
  const noCopter = refusal("SIMULATOR_COPTERS", 2);
  expect(await add(owner)).toMatchObject(noCopter);
  expect(await add(other)).toMatchObject(noCopter);
  expect(await add(other, { link_host: "127.0.0.1" })).toMatchObject(noCopter);
  const { id } = (await add(other, { type: "physical" })).body;
  expect(await other.api.put(`/drone/${id}`, { type: "sitl" })).toMatchObject(noCopter);
  expect(await add(other, { vehicle_type: "rover" })).toMatchObject({ status: 201, body: { port: 26_002 } });
  expect(await add(owner, { vehicle_type: "rover" })).toMatchObject(refusal("SIMULATOR_ROVERS", 1));
  const named = (await add(owner, { port: first.port })).body;
  expect(named.port).toBe(first.port);
  await owner.api.delete(`/drone/${first.id}`);
  expect(await add(other)).toMatchObject(noCopter);
  await owner.api.delete(`/drone/${named.id}`);
  expect(await add(other)).toMatchObject({ status: 201, body: { port: first.port } });
});

describe("in strict, of eight users at once", () => {
  let strict: TestGateway;
  let users: TestUser[];
  beforeEach(async () => {
    strict = await gatewayWith({ ...STRICT, SIMULATOR_COPTERS: "3" });
    users = await Promise.all(Array.from({ length: 8 }, () => strict.newUser()));
  });

  test("no two who add a drone get the same vehicle", async () => {
    const replies = await Promise.all(users.map((user) => add(user)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    const ports = replies.filter(({ status }) => status === 201).map(({ body }) => body.port);
    expect(ports.sort()).toEqual([26_000, 26_001, 26_002]);
  });

  test("one gets the port that all of them name", async () => {
    const elsewhere = { port: 1, link_host: "127.0.0.1" };
    const ids = await Promise.all(users.map(async (user) => (await add(user, elsewhere)).body.id));
    const named = { port: 26_000, link_host: null };
    const replies = await Promise.all(users.map(({ api }, at) => api.put(`/drone/${ids[at]}`, named)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)]);
  });
});

test("in contract a drone beyond the last vehicle shares the one that the fewest have", async () => {
  const contract = await gatewayWith({ SIMULATOR_COPTERS: "2" });
  const ports = [];
  for (let n = 0; n < 5; n++) ports.push((await add(await contract.newUser())).body.port - 26_000);
  expect(ports).toEqual([0, 1, 0, 1, 0]);
});

test("a port that was left is given to a new drone after those that were left before", async () => {
  const strict = await gatewayWith({ ...STRICT, SIMULATOR_COPTERS: "3" });
  const user = await strict.newUser();
  const ports: number[] = [];
  for (let n = 0; n < 6; n++) {
    const { id, port } = (await add(user)).body;
    ports.push(port - 26_000);
    await user.api.delete(`/drone/${id}`);
  }
  expect(ports).toEqual([0, 1, 2, 0, 1, 2]);
});
