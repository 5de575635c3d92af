import { setTimeout as delay } from "node:timers/promises";
import { ApiClient } from "../../testing/client";
import { startBalancer } from "../../testing/fakes/balancer";
import { compiledPrograms } from "../../testing/programs/programs";
import { TIMED_TAKEOVERS_MS, timeTakeovers } from "../../testing/system/timed-takeovers";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import { makePhysical, REPLICA_ENV, startReplicaProcess, tappedDrone } from "../../testing/worlds/replicas";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

/** ArduPilot's ground station failsafe acts after so long. */
const GIVES_UP_MS = 5_000;
/** A third of the lease. */
const RENEWED_MS = 667;

let jumphost: TestJumphost;
let steady: TestGateway;
let addresses = 10;
beforeAll(async () => {
  jumphost = await startJumphost();
  steady = await startTestGateway({ ...REPLICA_ENV, JUMPHOST_URL: jumphost.url });
});

const watchers = ["another gateway", "the killed one", "the killed one by a client that stays away"] as const;

/**
 * Milliseconds from the kill of the gateway that has a vehicle's link to the next one's heartbeat at the vehicle, which has
 * one watcher.
 */
async function takeOver(watchedAt: (typeof watchers)[number]): Promise<number> {
  const user = await steady.newUser();
  const ip = `127.0.0.${addresses++}`;
  const drone = await tappedDrone(user, ip);
  await makePhysical(steady.deps.db, drone, ip);
  const holder = await startReplicaProcess(compiledPrograms(), steady, { JUMPHOST_URL: jumphost.url });
  const at = new ApiClient(`${holder.url}/api/v1`).as(user.token);
  expect(await at.post("/drone/action/guided", { drone_id: drone.id })).toMatchObject({ status: 200 });
  const balancer = await startBalancer(watchedAt === "another gateway" ? steady.url : holder.url);
  const watcher = new TestWatcher(balancer.url, user.token, {
    reconnection: watchedAt !== "the killed one by a client that stays away",
  });
  await watcher.subscribe(drone.id, "relalt");
  await watcher.next("telemetry_data", 3);
  balancer.to(steady.url);
  // At any moment between two renewals of the lease.
  await delay(Math.random() * RENEWED_MS);
  holder.signal("SIGKILL");
  await holder.ended;
  const killedAt = performance.now();
  await until(() => drone.tap.heartbeatAt > killedAt, 2 * GIVES_UP_MS);
  expect(drone.tap.mostOpen).toBe(1);
  return drone.tap.heartbeatAt - killedAt;
}

test.each(watchers)(
  "a gateway is killed: another's heartbeat comes before the vehicle gives up, which is watched at %s",
  async (watchedAt) => {
    const what = `A gateway is killed, the vehicle is watched at ${watchedAt}: its next heartbeat`;
    expect(await timeTakeovers(what, () => takeOver(watchedAt))).toBeLessThan(GIVES_UP_MS);
  },
  TIMED_TAKEOVERS_MS,
);
