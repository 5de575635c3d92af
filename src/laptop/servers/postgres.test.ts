import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { atEndOfFile, freshFolder } from "../../testing";
import { queryOnce } from "../../testing/fresh-database";
import { freePort } from "../free-port";
import { type PostgresOptions, startPostgres } from "./postgres";

const options = (more: Partial<PostgresOptions> = {}): PostgresOptions => ({
  folder: freshFolder("cluster"),
  database: "fleet",
  durable: true,
  password: "a password & more",
  ...more,
});

/** One cluster for the tests that do not care how it was made: making one takes a second. */
const kept = options();

async function start(given: PostgresOptions) {
  const server = await startPostgres(given);
  atEndOfFile(() => server.stop());
  return server;
}

test("a second start finds the rows of the first", async () => {
  const first = await start(kept);
  await queryOnce(first.url, "CREATE TABLE kept AS SELECT 42 AS answer");
  await first.stop();
  expect(await first.ended).toContain("Postgres ended");
  const second = await start(kept);
  expect(await queryOnce(second.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await second.stop();
});

test("a server that was left running in the folder is ended, and no committed row of it is lost", async () => {
  const leftBehind = await start(kept);
  await queryOnce(leftBehind.url, "CREATE TABLE left_behind AS SELECT 42 AS answer");
  const second = await start(kept);
  expect(second.pid).not.toBe(leftBehind.pid);
  expect(() => process.kill(leftBehind.pid, 0)).toThrow("ESRCH");
  expect(await queryOnce(second.url, "SELECT answer FROM left_behind")).toEqual([{ answer: 42 }]);
});

test("a pid file with another program's pid kills nothing and does not prevent the start", async () => {
  await (await start(kept)).stop();
  writeFileSync(join(kept.folder, "data", "postmaster.pid"), `${process.pid}\n`);
  const again = await start(kept);
  expect(await queryOnce(again.url, "SELECT 1 AS alive")).toEqual([{ alive: 1 }]);
});

test("a cluster whose initdb was interrupted is created again", async () => {
  const given = options();
  mkdirSync(join(given.folder, "data.making"), { recursive: true });
  writeFileSync(join(given.folder, "data.making", "PG_VERSION"), "18\n");
  const server = await start(given);
  expect(await queryOnce(server.url, "SELECT 1 AS alive")).toEqual([{ alive: 1 }]);
});

test("data of another major version is refused, naming both", async () => {
  const folder = freshFolder("cluster");
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data", "PG_VERSION"), "9\n");
  await expect(startPostgres(options({ folder }))).rejects.toThrow(/written by Postgres 9.*Postgres 18/);
});

test("a wrong password is refused", async () => {
  const server = await start(kept);
  const url = new URL(server.url);
  url.password = "guess";
  await expect(queryOnce(url.href, "SELECT 1")).rejects.toThrow("password authentication failed");
});

test("a folder works below a parent that the account cannot read", async () => {
  const closed = freshFolder("closed");
  mkdirSync(join(closed, "inner"), { mode: 0o700 });
  const server = await start(options({ folder: join(closed, "inner", "cluster") }));
  expect(await queryOnce(server.url, "SELECT 1 AS alive")).toEqual([{ alive: 1 }]);
});

test("a taken port is named", async () => {
  const port = await freePort();
  const taker = createServer();
  await new Promise<void>((resolve) => taker.listen(port, "127.0.0.1", resolve));
  atEndOfFile(async () => void taker.close());
  await expect(startPostgres({ ...kept, port })).rejects.toThrow(
    `Port ${port}, which Postgres needs, is taken`,
  );
});
