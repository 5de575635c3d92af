import { ApiClient } from "../../testing/client";
import { startBalancer } from "../../testing/fakes/balancer";
import { compiledPrograms } from "../../testing/programs/programs";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import {
  makePhysical,
  REPLICA_ENV,
  type ReplicaProcess,
  startReplicaProcess,
  type TappedDrone,
  tappedDrone,
} from "../../testing/worlds/replicas";

import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

/** A killed holder's successor is heard and seen by then. */
const REPLACED_MS = 5_000;
const ARM = 400;

let jumphost: TestJumphost;
let steady: TestGateway;
let programs: string;
let user: TestUser;
let drone: TappedDrone;
/** The replica that gets the fault; it holds the drone's link. */
let faulty: ReplicaProcess;
let addresses = 10;

beforeAll(async () => {
  programs = compiledPrograms();
  jumphost = await startJumphost();
  steady = await startTestGateway({ ...REPLICA_ENV, JUMPHOST_URL: jumphost.url });
});

beforeEach(async () => {
  user = await steady.newUser();
  const ip = `127.0.0.${addresses++}`;
  drone = await tappedDrone(user, ip);
  await makePhysical(steady.deps.db, drone, ip);
  faulty = await startReplicaProcess(programs, steady, { JUMPHOST_URL: jumphost.url });
  expect(await order(faulty, "guided")).toMatchObject({ status: 200 });
});

const order = (at: { url: string }, action: string, body: object = {}) =>
  new ApiClient(`${at.url}/api/v1`).as(user.token).post(`/drone/action/${action}`, {
    drone_id: drone.id,
    ...body,
  });
const watcherAtSteady = async () => {
  const watcher = new TestWatcher(steady.url, user.token);
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data", 3);
  return watcher;
};
const armings = () => drone.tap.orders.filter((command) => command === ARM).length;

test("a killed holder is replaced, for watchers and for orders, and no order is sent twice", async () => {
  const watcher = await watcherAtSteady();
  const balancer = await startBalancer(faulty.url);
  const returning = new TestWatcher(balancer.url, user.token, { reconnection: true, reconnectionDelay: 100 });
  await returning.subscribe(drone.id, "relalt");
  await returning.next("telemetry_data", 3);
  balancer.to(steady.url);
  const killedAt = performance.now();
  faulty.signal("SIGKILL");
  await faulty.ended;
  watcher.clear();
  returning.clear();
  expect(await order(steady, "arm")).toMatchObject({ status: 200 });
  await watcher.next("telemetry_data");
  await returning.next("telemetry_data");
  expect(performance.now() - killedAt).toBeLessThan(REPLACED_MS);
  expect(armings()).toBe(1);
  expect(drone.tap.mostOpen).toBe(1);
  expect(returning.all("subscription_confirmed")).toEqual([]);
});

test("a paused holder is replaced, and sends nothing to the vehicle when it wakes up", async () => {
  const watcher = await watcherAtSteady();
  const pausedAt = performance.now();
  faulty.signal("SIGSTOP");
  watcher.clear();
  // Asked of the replica that stands still: it is done once, when that wakes up, and by the new holder.
  const late = order(faulty, "guided");
  expect(await order(steady, "arm")).toMatchObject({ status: 200 });
  await watcher.next("telemetry_data");
  expect(performance.now() - pausedAt).toBeLessThan(REPLACED_MS);
  await eventually("the paused one's pipe is closed", () => drone.tap.open === 1);
  drone.tap.reset();
  faulty.signal("SIGCONT");
  expect(await late).toMatchObject({ status: 200 });
  expect(await order(faulty, "disarm_drone")).toMatchObject({ status: 200 });
  expect(armings()).toBe(1);
  expect(drone.tap.mostOpen).toBe(1);
  expect([...jumphost.pipes].filter(({ port }) => port === drone.tap.port)).toHaveLength(1);
});

test("an order whose reply was lost has the outcome unknown, and is not sent again", async () => {
  drone.tap.withholdAcknowledgements = true;
  const asked = order(steady, "arm");
  await eventually("the order is on its way", () => armings() === 1);
  faulty.signal("SIGKILL");
  const orderReply = await asked;
  expect(orderReply).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining("may have done this or not") },
  });
  drone.tap.withholdAcknowledgements = false;
  await eventually(
    "orders are taken again",
    async () => (await order(steady, "guided")).status === 200,
    15_000,
  );
  expect(armings()).toBe(1);
  const [record] = await steady.deps.db("drone_commands").where({ drone_id: drone.id, command: "arm" });
  expect(record).toMatchObject({ outcome: "unknown", error: orderReply.body.error });
});
