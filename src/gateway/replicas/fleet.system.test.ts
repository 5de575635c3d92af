import type { DroneState } from "../../features/telemetry/fleet/drone-state";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startReplicas, type TestReplicas } from "../../testing/worlds/replicas";
import { type SimulatedDrone, simulatedDrone } from "../../testing/worlds/simulated-drone";
import type { TestGateway, TestUser } from "../../testing/worlds/start-gateway";

let replicas: TestReplicas;
let user: TestUser;
let drone: SimulatedDrone;

beforeAll(async () => {
  replicas = await startReplicas();
  user = await replicas.first.newUser();
  drone = await simulatedDrone(user.api);
  await user.api.get(`/drone/action/connection?id=${drone.id}`);
});

const get = ({ url }: TestGateway, path: string) =>
  fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${user.token}` } });
async function stateAt(gateway: TestGateway): Promise<DroneState> {
  const [state] = (await (await get(gateway, "/drones/state")).json()) as DroneState[];
  return state as DroneState;
}
async function watchAt(gateway: TestGateway) {
  const watcher = new TestWatcher(gateway.url, user.token);
  await watcher.next("connected");
  watcher.socket.emit("subscribe_fleet");
  await watcher.next("fleet_data");
  const told = (): DroneState[] => watcher.all("fleet_data").flatMap(({ drones }) => drones);
  return { watcher, told };
}

test("both replicas know the state of a drone whose link one of them has", async () => {
  const { first, second } = replicas;
  for (const gateway of [first, second])
    await eventually("the link is up", async () => (await stateAt(gateway)).link?.up === true);
  expect(second.deps.links.size).toBe(0);
  await user.api.post("/drone/action/arm", { drone_id: drone.id });
  expect((await stateAt(first)).armed).toBe(true);
  await eventually("the other knows too", async () => (await stateAt(second)).armed === true);
  await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
});

test("watchers of the fleet at both replicas are told once a second at most, and no link is opened for it", async () => {
  const { first, second } = replicas;
  const watched = await Promise.all([watchAt(first), watchAt(second)]);
  await user.api.post("/drone/action/arm", { drone_id: drone.id });
  for (const { told } of watched) await eventually("it is armed", () => told().at(-1)?.armed === true);
  await user.api.post("/drone/action/disarm_drone", { drone_id: drone.id });
  for (const { told } of watched) await eventually("it is disarmed", () => told().at(-1)?.armed === false);
  const began = performance.now();
  for (const { watcher } of watched) watcher.clear();
  for (const { watcher } of watched) await watcher.next("fleet_data", 4);
  expect(performance.now() - began).toBeGreaterThan(2_500);
  expect(second.deps.links.size).toBe(0);
});

test("a replica that is cut off from Redis loses the link and says so, and the other opens it by itself", async () => {
  const { first, second, redisOfFirst } = replicas;
  const { told } = await watchAt(first);
  redisOfFirst.stall();
  await eventually("its watcher is told", () => told().at(-1)?.link?.up === false);
  expect((await stateAt(first)).link?.up).toBe(false);
  await eventually("the other has the link", () => second.deps.links.size === 1);
  await eventually("it is up there", async () => (await stateAt(second)).link?.up === true);
  redisOfFirst.mend();
  await eventually("both know the link of the other", async () => (await stateAt(first)).link?.up === true);
  expect((await stateAt(second)).link?.up).toBe(true);
});
