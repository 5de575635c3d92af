import { migrationSource } from "../../../migrations";
import { freshDatabase } from "../../testing";
import { openDatabase } from "./db";
import { migrateSchema, waitForDatabase, waitForSchema } from "./migrate";

const names = async () => migrationSource.getMigrations([]);

async function emptyDatabase() {
  const { url } = await freshDatabase();
  const db = openDatabase(url, { poolMax: 1 });
  await db.raw("drop schema public cascade; create schema public");
  await db.destroy();
  return url;
}

test("two migrations of an empty database at once apply everything once", async () => {
  const url = await emptyDatabase();
  const applied = await Promise.all([
    migrateSchema(url, migrationSource),
    migrateSchema(url, migrationSource),
  ]);
  expect(applied.flat().sort()).toEqual(await names());
});

test("a migration that was killed half-way does not block the next one", async () => {
  const url = await emptyDatabase();
  const db = openDatabase(url, { poolMax: 2 });
  // As the dead one leaves it: its finished steps stay, and so does the mark that it is at work.
  const [first] = await names();
  const only = { ...migrationSource, getMigrations: async () => [first as string] };
  await db.migrate.latest({ migrationSource: only });
  await db("knex_migrations_lock").update({ is_locked: 1 });
  await db.destroy();
  const applied = await Promise.all([
    migrateSchema(url, migrationSource),
    migrateSchema(url, migrationSource),
    migrateSchema(url, migrationSource),
  ]);
  expect(applied.flat().sort()).toEqual((await names()).slice(1));
});

test("every migration can be rolled back", async () => {
  const { url } = await freshDatabase();
  const db = openDatabase(url, { poolMax: 2 });
  try {
    const tables = "select table_name from information_schema.tables where table_schema = 'public'";
    const before = (await db.raw(tables)).rows.length;
    await db.migrate.rollback({ migrationSource }, true);
    expect((await db.raw(`${tables} and table_name not like 'knex%'`)).rows).toEqual([]);
    await db.migrate.latest({ migrationSource });
    expect((await db.raw(tables)).rows).toHaveLength(before);
  } finally {
    await db.destroy();
  }
});

test("a schema newer than this version is not changed, and the process starts with it", async () => {
  const { url } = await freshDatabase();
  const db = openDatabase(url, { poolMax: 1 });
  await db("knex_migrations").insert({ name: "9999_from_the_future", batch: 99, migration_time: new Date() });
  await db.destroy();
  expect(await migrateSchema(url, migrationSource)).toEqual([]);
  await waitForSchema(url, migrationSource, 1);
});

test("waiting ends when another process has migrated, and otherwise fails with the missing migrations", async () => {
  const url = await emptyDatabase();
  await expect(waitForSchema(url, migrationSource, 0)).rejects.toThrow(/0001_accounts/);
  const waiting = waitForSchema(url, migrationSource, 10);
  await migrateSchema(url, migrationSource);
  await expect(waiting).resolves.toBeUndefined();
});

test("the process waits for a database that does not answer, and names it after the limit", async () => {
  const { url } = await freshDatabase();
  await waitForDatabase(url, 5);
  const nowhere = new URL(url);
  nowhere.port = "1";
  await expect(waitForDatabase(nowhere.href, 1)).rejects.toThrow("The database does not answer");
});
