import { z } from "zod";
import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import { planHash } from "../../domain/mission-item";
import { type Db, openDatabase } from "../../platform/postgres/db";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing/clean-up";
import { gatewayWithDrone } from "../../testing/worlds/flown-drone";
import { storeMission } from "../../testing/worlds/plans";
import type { SimulatedDrone } from "../../testing/worlds/simulated-drone";
import type { TestGateway, TestUser } from "../../testing/worlds/start-gateway";
import { action } from "./action";
import { RecordedActions } from "./actions.service";
import { insertCommand } from "./commands.store";

let gateway: TestGateway;
let user: TestUser;
let drone: SimulatedDrone;

beforeAll(async () => {
  ({ gateway, user, drone } = await gatewayWithDrone());
});

const order = (path: string, body: object = {}) =>
  user.api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
const records = (db: Db = gateway.deps.db) => db("drone_commands").orderBy("id");
const newest = async () => (await records()).at(-1);

describe("the record of an order", () => {
  test("holds the user, the order, its parameters and the drone's acknowledgement", async () => {
    const reply = await order("set_param", { param_id: "FENCE_ACTION", value: 1 });
    expect(reply.status).toBe(200);
    const record = await newest();
    expect(record).toMatchObject({
      drone_id: drone.id,
      user_id: user.id,
      command: "set_param",
      parameters: { param_id: "FENCE_ACTION", value: 1 },
      outcome: "accepted",
      result: { param_id: "FENCE_ACTION", value: 1 },
      error: null,
    });
    expect(record.finished_at.getTime()).toBeGreaterThanOrEqual(record.requested_at.getTime());
  });

  test("keeps a failure with the message that the caller got", async () => {
    const reply = await order("set_mode", { mode_info: { custom_mode: "SOMERSAULT" } });
    expect(reply.status).toBe(500);
    expect(await newest()).toMatchObject({
      command: "set_mode",
      outcome: "failed",
      error: reply.body.error,
      result: null,
    });
  });

  test("keeps an order whose mission does not exist", async () => {
    expect((await order("push_mission", { mission_id: 2_000_000_000 })).status).toBe(404);
    expect(await newest()).toMatchObject({ command: "push_mission", outcome: "failed" });
  });

  test("is not made for another user's drone", async () => {
    const before = (await records()).length;
    const otherUser = await gateway.newUser();
    expect((await otherUser.api.post("/drone/action/arm", { drone_id: drone.id })).status).toBe(404);
    expect(await records()).toHaveLength(before);
  });
});

test("the statement that records an order lets through whom may() lets through", async () => {
  const { db } = gateway.deps;
  const [owner, other] = [await gateway.newUser(), await gateway.newUser()];
  for (const deleted_at of [null, new Date()]) {
    const row = {
      user_id: owner.id,
      name: "Heron",
      type: "sitl",
      vehicle_type: "copter",
      port: 5760,
      deleted_at,
    };
    const [{ id }] = await db("drones").insert(row).returning("id");
    for (const { id: user_id } of [owner, other]) {
      const recorded = await insertCommand(db, { drone_id: id, user_id, command: "arm", parameters: {} });
      expect(recorded !== undefined).toBe(may(user_id, "command", row));
      if (recorded) expect(await db("drones").where({ id }).first()).toMatchObject(recorded.drone);
    }
  }
});

test("orders go on when a migration has added a column to drones", async () => {
  expect(await order("guided")).toMatchObject({ status: 200 });
  await gateway.deps.db.raw("ALTER TABLE drones ADD COLUMN colour text");
  atEndOfFile(() => gateway.deps.db.raw("ALTER TABLE drones DROP COLUMN colour"));
  for (let connection = 0; connection < 10; connection++)
    expect(await order("guided")).toMatchObject({ status: 200 });
});

test("a verified plan is kept with its items, and its hash is theirs", async () => {
  const mission = await storeMission(user.api);
  const { body } = await order("push_mission", { mission_id: mission.id });
  const [plan] = await gateway.deps.db("verified_plans").where({ drone_id: drone.id });
  expect(plan).toMatchObject({ mission_id: mission.id, hash: body.result.hash });
  expect(plan.items).toHaveLength(body.result.items);
  expect(planHash(plan.items)).toBe(plan.hash);
});

test("orders of several callers at once are all carried out and all recorded", async () => {
  const before = (await records()).length;
  const mission = await storeMission(user.api, "at once");
  const replies = await Promise.all([
    order("push_mission", { mission_id: mission.id }),
    order("push_mission", { mission_id: mission.id }),
    order("sync_geofences"),
    order("set_param", { param_id: "FENCE_ACTION", value: 2 }),
    order("set_param", { param_id: "FENCE_ENABLE", value: 0 }),
    order("set_mode", { mode_info: { custom_mode: "GUIDED" } }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const made = (await records()).slice(before);
  expect(made.map(({ outcome }) => outcome)).toEqual(made.map(() => "accepted"));
  expect(made).toHaveLength(6);
});

test("unknown keys of a body are ignored", async () => {
  const reply = await order("guided", { altitude: 5 });
  expect(reply.status).toBe(200);
  expect((await newest()).parameters).toEqual({});
});

describe("an order beside a failing database", () => {
  const log = createLogger("test", "silent");
  const doing = (run: () => Promise<unknown>) =>
    action({
      path: "somersault",
      summary: "Turn over",
      body: z.object({}),
      result: z.unknown(),
      run: async (given) => {
        await given.beforeArm();
        return { message: "Done.", result: await run() };
      },
    });

  test("is on record as pending while it is carried out", async () => {
    const service = new RecordedActions({ ...gateway.deps, log });
    const seen = await service.order(user.id, drone.id, doing(newest), {});
    expect(seen.result).toMatchObject({ command: "somersault", outcome: "pending", finished_at: null });
    expect(await newest()).toMatchObject({ command: "somersault", outcome: "accepted" });
  });

  test("is refused, and not carried out, when it cannot be recorded", async () => {
    const down = openDatabase("postgres://nobody@127.0.0.1:1/none");
    const run = jest.fn(async () => "flown");
    const service = new RecordedActions({ ...gateway.deps, log, db: down });
    await expect(service.order(user.id, drone.id, doing(run), {})).rejects.toThrow();
    expect(run).not.toHaveBeenCalled();
    await down.destroy();
  });

  test("succeeds when its record cannot be finished, and the record stays pending", async () => {
    const failing = openDatabase(gateway.databaseUrl);
    const service = new RecordedActions({ ...gateway.deps, log, db: failing });
    const done = await service.order(
      user.id,
      drone.id,
      doing(() => failing.destroy().then(() => "flown")),
      {},
    );
    expect(done).toEqual({ message: "Done.", result: "flown" });
    expect(await newest()).toMatchObject({ command: "somersault", outcome: "pending" });
  });

  test("fails with the vehicle's error even when that cannot be recorded", async () => {
    const failing = openDatabase(gateway.databaseUrl);
    const service = new RecordedActions({ ...gateway.deps, log, db: failing });
    const refused = doing(async () => {
      await failing.destroy();
      throw new DomainError("vehicle_refused", "Not upside down.");
    });
    await expect(service.order(user.id, drone.id, refused, {})).rejects.toThrow("Not upside down.");
  });

  test("is carried out although the step before arming failed", async () => {
    const beforeArm = jest.fn().mockRejectedValue(new Error("no video today"));
    const service = new RecordedActions({ ...gateway.deps, log, beforeArm });
    const done = await service.order(
      user.id,
      drone.id,
      doing(async () => "flown"),
      {},
    );
    expect(done.result).toBe("flown");
    expect(beforeArm).toHaveBeenCalledWith(expect.objectContaining({ id: drone.id }));
  });
});
