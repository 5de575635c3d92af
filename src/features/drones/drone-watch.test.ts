import { atEndOfFile } from "../../testing/clean-up";
import { eventually, simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { changeOf } from "./drone-watch";
import type { DroneStanding } from "./drones.store";
import { linkTarget } from "./link-target";

const standing = {
  id: 7,
  user_id: 1,
  type: "physical",
  ip: "10.71.0.9",
  port: 5001,
  link_host: null,
  vpn_key_id: "00000000-0000-4000-8000-000000000001",
} as DroneStanding;

test.each<[what: string, now: Partial<DroneStanding> | undefined, means: "gone" | "moved" | undefined]>([
  ["no longer live", undefined, "gone"],
  ["of another user", { user_id: 2 }, "gone"],
  ["of another user and elsewhere", { user_id: 2, port: 5002 }, "gone"],
  ["of another type", { type: "sitl" }, "moved"],
  ["at another address", { ip: "10.71.0.10" as never }, "moved"],
  ["at another port", { port: 5002 }, "moved"],
  ["at another host", { link_host: "192.0.2.1" }, "moved"],
  ["under another VPN key", { vpn_key_id: "00000000-0000-4000-8000-000000000002" }, "moved"],
  ["as it was", {}, undefined],
])("a drone that is %s", (_what, now, means) => {
  expect(changeOf(standing, now && { ...standing, ...now })).toBe(means);
  expect(changeOf(undefined, now && { ...standing, ...now })).toBeUndefined();
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

  /** A drone of the user's whose link is open and watched there, and what is told of it there. */
  async function watchedThere() {
    const drone = await simulatedDrone(user.api);
    atEndOfFile(drone.stop);
    const { config, links } = there.deps;
    const { port, vehicle } = { port: drone.vehicle.port, vehicle: drone.vehicle };
    const target = linkTarget(config, {
      ...standing,
      id: drone.id,
      type: "sitl",
      port,
      link_host: vehicle.host,
    });
    const told: string[] = [];
    const states: string[] = [];
    const { events } = there.features.drone;
    events.onDroneGone(({ id, user_id }) => id === drone.id && told.push(`gone from ${user_id}`));
    events.onDroneMoved(({ id, port }) => id === drone.id && told.push(`moved to ${port}`));
    links.subscribe(target, { onMessage: () => {}, onState: (state) => states.push(state) });
    await eventually("the link is up there", () => states.includes("up"));
    return { ...drone, told, states };
  }

  test("a deletion here closes what is open there", async () => {
    const drone = await watchedThere();
    await user.api.delete(`/drone/${drone.id}`);
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    await eventually("the vehicle is let go", () => !drone.vehicle.connected);
    expect(drone.told).toEqual([`gone from ${user.id}`]);
  });

  test("another port closes what is open to the former one, and a new name closes nothing", async () => {
    const drone = await watchedThere();
    await user.api.put(`/drone/${drone.id}`, { name: "Renamed" });
    await user.api.put(`/drone/${drone.id}`, { port: 5999 });
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    expect(drone.told).toEqual(["moved to 5999"]);
  });

  test("another owner, given in the database, is heard in every gateway", async () => {
    const drone = await watchedThere();
    const heir = await here.newUser();
    await here.deps.db("drones").where({ id: drone.id }).update({ user_id: heir.id });
    await eventually("the watch there ends", () => drone.states.includes("ended"));
    expect(drone.told).toEqual([`gone from ${user.id}`]);
    expect((await heir.api.get("/drones")).body).toEqual([expect.objectContaining({ id: drone.id })]);
    expect((await user.api.get(`/drone/action/connection?id=${drone.id}`)).status).toBe(400);
  });

  test("a change that was made while nothing was heard is found when the database is heard again", async () => {
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
    expect(drone.told).toEqual([`gone from ${user.id}`]);
  });

  test("one's own change is told before the reply, once, and past a listener that fails", async () => {
    const drone = (await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" })).body;
    const told: number[] = [];
    const { events } = here.features.drone;
    const stops = [
      events.onDroneGone(() => {
        throw new Error("this listener fails");
      }),
      events.onDroneGone(({ id }) => told.push(id)),
    ];
    expect((await user.api.delete(`/drone/${drone.id}`)).status).toBe(201);
    expect(told).toEqual([drone.id]);

    const later = await watchedThere();
    await user.api.delete(`/drone/${later.id}`);
    await eventually("the later deletion is heard there", () => later.told.length > 0);
    expect(told).toEqual([drone.id, later.id]);
    for (const stop of stops) stop();
  });
});
