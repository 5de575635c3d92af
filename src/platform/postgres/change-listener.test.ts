import { freshDatabase } from "../../testing";
import { until } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { createLogger } from "../process/log";
import { type Change, ChangeListener } from "./change-listener";
import { type Db, openDatabase } from "./db";

const quiet = createLogger("test", "silent");

let db: Db;
let link: InterruptibleLink;
const heard: Change[] = [];
let connections = 0;
let listener: ChangeListener;

beforeAll(async () => {
  const { url } = await freshDatabase();
  db = openDatabase(url, { poolMax: 2 });
  link = await interruptibleLink(url);
  listener = new ChangeListener(link.url, { log: quiet, probeMs: 2_000 });
  listener.subscribe({
    onChange: (change) => heard.push(change),
    onReconnect: () => {
      connections += 1;
    },
  });
  await until(() => listener.listening);
});

afterAll(async () => {
  await listener.stop();
  await db.destroy();
});

beforeEach(() => {
  heard.length = 0;
});

const newUser = async (username: string): Promise<number> =>
  (await db("users").insert({ username }).returning("id"))[0].id;

async function newDrone(user_id: number): Promise<number> {
  const drone = { user_id, name: "Heron", type: "sitl", vehicle_type: "copter", port: 5760 };
  return (await db("drones").insert(drone).returning("id"))[0].id;
}

/** Everything committed before this has been heard. */
async function caughtUp(): Promise<Change[]> {
  const id = await newUser(`mark-${Math.random()}@example.com`);
  await until(() => heard.some((change) => change.table === "users" && change.id === id));
  return heard.filter((change) => change.table !== "users" || change.id !== id);
}

test("a new, a changed and a deleted drone are each notified with their id", async () => {
  const owner = await newUser("owner@example.com");
  const id = await newDrone(owner);
  await db("drones").where({ id }).update({ port: 5761 });
  await db("drones").where({ id }).delete();
  expect(await caughtUp()).toEqual([
    { table: "users", op: "insert", id: owner },
    { table: "drones", op: "insert", id },
    { table: "drones", op: "update", id },
    { table: "drones", op: "delete", id },
  ]);
});

test.each([
  ["drones", { link_host: "10.0.0.9" }, 1],
  ["drones", { deleted_at: new Date() }, 1],
  ["drones", { type: "physical" }, 1],
  ["drones", { vpn_key_id: "00000000-0000-4000-8000-000000000001" }, 1],
  ["drones", { name: "Egret", activation_token: "0123456789" }, 0],
  ["users", { is_active: true }, 1],
  ["users", { vpn_key_id: "00000000-0000-4000-8000-000000000002" }, 1],
  ["users", { password_hash: "x", extra_emails: "a@example.com" }, 0],
])("an update of %s with %j is notified %i time(s)", async (table, change, times) => {
  const owner = await newUser(`owner-${Math.random()}@example.com`);
  const id = table === "users" ? owner : await newDrone(owner);
  await db(table).where({ id }).update(change);
  const updates = (await caughtUp()).filter(({ op }) => op === "update");
  expect(updates).toEqual(Array.from({ length: times }, () => ({ table, op: "update", id })));
});

test("an owner's deletion notifies every drone that is deleted with it", async () => {
  const owner = await newUser("leaver@example.com");
  const drones = [await newDrone(owner), await newDrone(owner)];
  heard.length = 0;
  await db("users").where({ id: owner }).delete();
  const received = await caughtUp();
  for (const id of drones) expect(received).toContainEqual({ table: "drones", op: "delete", id });
  expect(received).toContainEqual({ table: "users", op: "delete", id: owner });
});

test("a change that is rolled back is not notified, and equal changes of a transaction are notified once", async () => {
  const owner = await newUser("twice@example.com");
  const id = await newDrone(owner);
  await caughtUp();
  heard.length = 0;
  const rolledBack = db.transaction(async (trx) => {
    await trx("drones").where({ id }).update({ port: 1 });
    throw new Error("changed my mind");
  });
  await expect(rolledBack).rejects.toThrow("changed my mind");
  await db.transaction(async (trx) => {
    await trx("drones").where({ id }).update({ port: 2 });
    await trx("drones").where({ id }).update({ port: 3 });
  });
  expect(await caughtUp()).toEqual([{ table: "drones", op: "update", id }]);
});

test("after a lost connection the subscriber must read again, and changes are received again", async () => {
  const before = connections;
  link.cut();
  await until(() => !listener.listening);
  link.mend();
  await until(() => connections === before + 1);
  expect(await caughtUp()).toEqual([]);
});

test("a connection that goes silent without closing is replaced", async () => {
  const before = connections;
  link.stall();
  await until(() => !listener.listening);
  link.mend();
  await until(() => connections > before);
  expect(await caughtUp()).toEqual([]);
});

test("an invalid notification is ignored", async () => {
  await db.raw("select pg_notify('fleet_changes', 'not json'), pg_notify('fleet_changes', '{\"table\":1}')");
  expect(await caughtUp()).toEqual([]);
});
