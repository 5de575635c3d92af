import { eventually } from "../../testing/until";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { changeOf } from "./drone-watch";
import type { Drone } from "./drones.store";
import { linkTarget } from "./link-target";

const row = {
  id: 7,
  user_id: 1,
  type: "physical",
  ip: "10.71.0.9",
  port: 5001,
  link_host: null,
  vpn_key_id: "00000000-0000-4000-8000-000000000001",
} as Drone;

test.each<[what: string, now: Partial<Drone> | undefined, means: "revoked" | "redirected" | undefined]>([
  ["no longer live", undefined, "revoked"],
  ["of another user", { user_id: 2 }, "revoked"],
  ["of another user and elsewhere", { user_id: 2, port: 5002 }, "revoked"],
  ["of another type", { type: "sitl" }, "redirected"],
  ["at another address", { ip: "10.71.0.10" as never }, "redirected"],
  ["at another port", { port: 5002 }, "redirected"],
  ["at another host", { link_host: "192.0.2.1" }, "redirected"],
  ["under another VPN key", { vpn_key_id: "00000000-0000-4000-8000-000000000002" }, "redirected"],
  ["as it was", {}, undefined],
])("a drone that is %s", (_what, now, means) => {
  expect(changeOf(row, now && { ...row, ...now })).toBe(means);
  expect(changeOf(undefined, now && { ...row, ...now })).toBeUndefined();
});

describe("two gateways on one database", () => {
  let here: TestGateway;
  let there: TestGateway;
  let user: TestUser;
  beforeAll(async () => {
    here = await startTestGateway();
    there = await startTestGateway({ DATABASE_URL: here.databaseUrl, REDIS_URL: here.redisUrl });
  });
  beforeEach(async () => {
    user = await here.newUser();
  });

  /** A drone of the user's whose link is open and watched there, and the events about it there. */
  async function watchedThere() {
    const drone = await simulatedDrone(user.api);
    const { config, links } = there.deps;
    const { port, vehicle } = { port: drone.vehicle.port, vehicle: drone.vehicle };
    const target = linkTarget(config, {
      ...row,
      id: drone.id,
      type: "sitl",
      port,
      link_host: vehicle.host,
    });
    const notified: string[] = [];
    const states: string[] = [];
    const { events } = there.features.drone;
    events.onDroneRevoked(({ id, user_id }) => id === drone.id && notified.push(`revoked from ${user_id}`));
    events.onDroneRedirected(({ id, port }) => id === drone.id && notified.push(`redirected to ${port}`));
    links.subscribe(target, { onMessage: () => {}, onState: (state) => states.push(state) });
    await eventually("the link is up there", () => states.includes("up"));
    return { ...drone, notified, states };
  }

  test("a deletion here closes the link there", async () => {
    const drone = await watchedThere();
    await user.api.delete(`/drone/${drone.id}`);
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    await eventually("the vehicle is let go", () => !drone.vehicle.connected);
    expect(drone.notified).toEqual([`revoked from ${user.id}`]);
  });

  test("another port closes the link to the former one, and a new name closes nothing", async () => {
    const drone = await watchedThere();
    await user.api.put(`/drone/${drone.id}`, { name: "Renamed" });
    await user.api.put(`/drone/${drone.id}`, { port: 5999 });
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    expect(drone.notified).toEqual(["redirected to 5999"]);
  });

  test("another owner, set in the database, revokes the drone in every gateway", async () => {
    const drone = await watchedThere();
    const heir = await here.newUser();
    await here.deps.db("drones").where({ id: drone.id }).update({ user_id: heir.id });
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    expect(drone.notified).toEqual([`revoked from ${user.id}`]);
    expect((await heir.api.get("/drones")).body).toEqual([expect.objectContaining({ id: drone.id })]);
    expect((await user.api.get(`/drone/action/connection?id=${drone.id}`)).status).toBe(400);
  });

  test("a change during a lost database connection is found after the reconnect", async () => {
    const drone = await watchedThere();
    const { db } = here.deps;
    // Ending the listening sessions is how a database failover looks from here.
    const cut = () =>
      db.raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'fleet-listen'",
      );
    await db.transaction(async (trx) => {
      await trx("drones").where({ id: drone.id }).update({ deleted_at: new Date(), ip: null });
      await cut();
    });
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    expect(drone.notified).toEqual([`revoked from ${user.id}`]);
  });

  test("a change of this process is published before the reply, and past a listener that fails", async () => {
    const drone = (await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" })).body;
    // A set: the database's notification may publish the same deletion again.
    const notified = new Set<number>();
    const { events } = here.features.drone;
    const stops = [
      events.onDroneRevoked(() => {
        throw new Error("this listener fails");
      }),
      events.onDroneRevoked(({ id }) => notified.add(id)),
    ];
    expect((await user.api.delete(`/drone/${drone.id}`)).status).toBe(201);
    expect([...notified]).toEqual([drone.id]);

    const later = await watchedThere();
    await user.api.delete(`/drone/${later.id}`);
    await eventually("the later deletion is heard there", () => later.notified.length > 0);
    expect([...notified]).toEqual([drone.id, later.id]);
    for (const stop of stops) stop();
  });
});
