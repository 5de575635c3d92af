import pg from "pg";
import { freshDatabase } from ".";
import { queryOnce } from "./fresh-database";

test("a fresh database is migrated and empty", async () => {
  const { url } = await freshDatabase();
  expect(await queryOnce(url, "SELECT count(*)::int AS users FROM users")).toEqual([{ users: 0 }]);
});

test("two fresh databases are independent", async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  await queryOnce(one.url, "CREATE TABLE seen (by text)");
  await expect(queryOnce(other.url, "SELECT * FROM seen")).rejects.toThrow("does not exist");
});

test("a database with open connections can be dropped", async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  const cutOff = new Promise<Error>((resolve) => client.on("error", resolve));
  await client.connect();
  await database.drop();
  expect((await cutOff).message).toContain("terminat");
  await expect(queryOnce(database.url, "SELECT 1")).rejects.toThrow("does not exist");
});
