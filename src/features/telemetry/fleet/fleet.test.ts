import { eventually } from "../../../testing/until";
import { TestWatcher } from "../../../testing/watcher";
import { gatewayWithDrone } from "../../../testing/worlds/flown-drone";
import { type SimulatedDrone, simulatedDrone } from "../../../testing/worlds/simulated-drone";
import type { TestGateway, TestUser } from "../../../testing/worlds/start-gateway";
import { saveSubscription } from "../../billing";
import type { DroneState } from "./drone-state";

let gateway: TestGateway;
let user: TestUser;
let drone: SimulatedDrone;

beforeAll(async () => {
  ({ gateway, user, drone } = await gatewayWithDrone());
  await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 5 });
});

const states = async (of: TestUser = user): Promise<DroneState[]> => (await of.api.get("/drones/state")).body;
const stateOf = async (id: number) => (await states()).find(({ drone_id }) => drone_id === id) as DroneState;
const connect = (id: number) => user.api.get(`/drone/action/connection?id=${id}`);
const disconnect = (id: number) => user.api.delete(`/drone/action/connection?id=${id}`);
const UNKNOWN = { link: null, armed: null, mode: null, position: null, battery: null, mission: null };

async function watchFleet(of: TestUser = user): Promise<TestWatcher> {
  const watcher = new TestWatcher(gateway.url, of.token);
  await watcher.next("connected");
  watcher.socket.emit("subscribe_fleet");
  expect(await watcher.next("subscription_confirmed")).toEqual({
    status: "subscribed",
    stream_type: "fleet",
  });
  return watcher;
}
const told = (watcher: TestWatcher, id: number): DroneState[] =>
  watcher.all("fleet_data").flatMap(({ drones }) => drones.filter((one: DroneState) => one.drone_id === id));

describe("the newest states", () => {
  test("have no drone of another user, and nothing is known of one that was never heard", async () => {
    const other = await gateway.newUser();
    expect(await states(other)).toEqual([]);
    const { id } = await simulatedDrone(other.api);
    expect(await states(other)).toEqual([{ drone_id: id, ...UNKNOWN }]);
    expect(await states()).toEqual([expect.objectContaining({ drone_id: drone.id })]);
  });

  test("dial no drone", async () => {
    const { id } = await simulatedDrone(user.api);
    const links = gateway.deps.links.size;
    await states();
    const watcher = await watchFleet();
    await watcher.next("fleet_data");
    expect(gateway.deps.links.size).toBe(links);
    expect(await stateOf(id)).toEqual({ drone_id: id, ...UNKNOWN });
  });

  test("are those of the vehicle: armed, mode, position, battery, mission", async () => {
    const watcher = new TestWatcher(gateway.url, user.token);
    await watcher.next("connected");
    await watcher.subscribe(drone.id, "dashboard");
    await eventually("all is known", async () => {
      const { armed, position, battery, mission } = await stateOf(drone.id);
      return armed === false && [position, battery, mission].every((part) => part !== null);
    });
    await user.api.post("/drone/action/arm", { drone_id: drone.id });
    const { link, armed, mode, position, battery } = await stateOf(drone.id);
    expect({ armed, mode }).toEqual({ armed: true, mode: expect.any(String) });
    expect(link).toMatchObject({ up: true });
    expect(link?.age_ms).toBeLessThan(3_000);
    expect(position?.latitude).toBeCloseTo(drone.vehicle.state.position.lat, 4);
    expect(position?.longitude).toBeCloseTo(drone.vehicle.state.position.lng, 4);
    expect(position?.relative_altitude).toBeCloseTo(0, 0);
    expect(battery?.voltage).toBeGreaterThan(5);
    await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
    watcher.socket.disconnect();
  });

  test("stay when the link is closed, with an age that grows", async () => {
    await connect(drone.id);
    await eventually("the link is up", async () => (await stateOf(drone.id)).link?.up === true);
    await disconnect(drone.id);
    const closed = await stateOf(drone.id);
    expect(closed).toMatchObject({ link: { up: false }, armed: false });
    await eventually("it is older", async () => {
      const { link } = await stateOf(drone.id);
      return (link?.age_ms ?? 0) > (closed.link?.age_ms ?? 0);
    });
  });

  test("are forgotten with the drone, also by its next owner", async () => {
    const { id } = await simulatedDrone(user.api);
    await connect(id);
    await eventually(
      "it was written",
      async () => (await gateway.deps.redis.hexists("fleet:states", String(id))) === 1,
    );
    const other = await gateway.newUser();
    await gateway.deps.db("drones").where({ id }).update({ user_id: other.id });
    await eventually("it is the other's", async () => (await states(other)).length === 1);
    await eventually("nothing is known", async () => (await states(other))[0]?.link === null);
    expect(await gateway.deps.redis.hexists("fleet:states", String(id))).toBe(0);
    expect((await states()).map(({ drone_id }) => drone_id)).not.toContain(id);
  });
});

describe("a watcher of the fleet", () => {
  test("gets all drones first, then those that change, until it leaves", async () => {
    const quiet = await simulatedDrone(user.api);
    const watcher = await watchFleet();
    const first = await watcher.next("fleet_data");
    expect(first).toMatchObject({ complete: true });
    expect(first.drones.map(({ drone_id }: DroneState) => drone_id)).toEqual(
      (await states()).map(({ drone_id }) => drone_id),
    );
    watcher.clear();
    await connect(drone.id);
    await user.api.post("/drone/action/arm", { drone_id: drone.id });
    await eventually(
      "it is told that the drone is armed",
      () => told(watcher, drone.id).at(-1)?.armed === true,
    );
    await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
    await eventually("and disarmed", () => told(watcher, drone.id).at(-1)?.armed === false);
    await disconnect(drone.id);
    await eventually("and away", () => told(watcher, drone.id).at(-1)?.link?.up === false);
    expect(told(watcher, quiet.id)).toEqual([]);
    expect(watcher.all("fleet_data").every(({ complete }) => complete === false)).toBe(true);
    watcher.socket.emit("unsubscribe_fleet");
    expect(await watcher.next("subscription_confirmed")).toEqual({
      status: "unsubscribed",
      stream_type: "fleet",
    });
    watcher.clear();
    await connect(drone.id);
    const other = await watchFleet();
    await eventually("another one is told", () =>
      told(other, drone.id).some(({ link }) => link?.up === true),
    );
    expect(watcher.all("fleet_data")).toEqual([]);
  });

  test("gets all again when the user has a drone more, or one less", async () => {
    const watcher = await watchFleet();
    await watcher.next("fleet_data");
    watcher.clear();
    const { id } = await simulatedDrone(user.api);
    await eventually("the new one is told", () => told(watcher, id).length > 0);
    expect(watcher.all("fleet_data").at(-1)).toMatchObject({ complete: true });
    await user.api.delete(`/drone/${id}`);
    await eventually("it is gone", () => {
      const { complete, drones } = watcher.all("fleet_data").at(-1);
      return complete && drones.every(({ drone_id }: DroneState) => drone_id !== id);
    });
  });

  test("is told at most once a second", async () => {
    await connect(drone.id);
    const watcher = await watchFleet();
    const times: number[] = [];
    watcher.socket.on("fleet_data", () => times.push(performance.now()));
    await eventually("five messages", () => times.length >= 5);
    expect((times[4] as number) - (times[0] as number)).toBeGreaterThan(3_500);
  });

  test("of another user is told nothing of it", async () => {
    const other = await gateway.newUser();
    const watcher = await watchFleet(other);
    expect(await watcher.next("fleet_data")).toEqual({ complete: true, drones: [] });
    const own = await watchFleet();
    await own.next("fleet_data", 3);
    expect(watcher.all("fleet_data")).toHaveLength(1);
  });
});
