import type { Db } from "../../platform/postgres/db";
import { until } from "../../testing/until";
import type { FleetRow } from "./fleet";
import { RowCache, type RowIds } from "./row-cache";

const user = (id: number, ip: string): FleetRow => ({
  plane: "users",
  id,
  ip,
  key_id: "00000000-0000-4000-8000-000000000001",
  owner: null,
  port: null,
});
const some = (...users: number[]): RowIds => ({ users: new Set(users), drones: new Set() });

/** Tables that keep their state; each read sees them as they are when it begins, and ends when the test says so. */
class Tables {
  rows = [user(1, "10.70.0.2"), user(2, "10.70.0.3")];
  readonly ends: (() => void)[] = [];
  private read(rows: FleetRow[]): Promise<{ rows: FleetRow[] }> {
    return new Promise((resolve) => this.ends.push(() => resolve({ rows })));
  }
  /** As `Db.raw`. */
  raw = ((_sql: string, [users]: [number[]?] = []) => {
    const rows = this.rows.filter(({ id }) => !users || users.includes(id));
    return { timeout: () => this.read(rows) };
  }) as unknown as Db["raw"];
}

async function known() {
  const tables = new Tables();
  const rows = new RowCache(tables);
  const first = rows.refresh();
  tables.ends[0]?.();
  await first;
  const texts = () => rows.fleet?.users.map(({ rowId, ip }) => `${rowId} ${ip}`);
  return { tables, rows, texts };
}

test("nothing is known until all rows have been read once", () => {
  const tables = new Tables();
  expect(new RowCache(tables).fleet).toBeUndefined();
});

test("a row that is read by its id is taken over, and one that is not found is gone", async () => {
  const { tables, rows, texts } = await known();
  tables.rows = [user(2, "10.70.0.9"), user(3, "10.70.0.2")];
  const reading = rows.refreshSome(some(1, 2, 3));
  tables.ends[1]?.();
  await reading;
  expect(texts()).toEqual(["2 10.70.0.9", "3 10.70.0.2"]);
});

test("a slow read of all rows does not bring back what changed after it began", async () => {
  const { tables, rows, texts } = await known();
  const slow = rows.refresh();
  tables.rows = [user(2, "10.70.0.3"), user(3, "10.70.0.4")];
  const quick = rows.refreshSome(some(1, 3));
  tables.ends[2]?.();
  await quick;
  expect(texts()).toEqual(["2 10.70.0.3", "3 10.70.0.4"]);
  tables.ends[1]?.();
  await slow;
  expect(texts()).toEqual(["2 10.70.0.3", "3 10.70.0.4"]);
});

test("of two reads of all rows the one that began later wins, whichever ends first", async () => {
  const { tables, rows, texts } = await known();
  const slow = rows.refresh();
  tables.rows = [user(2, "10.70.0.3")];
  const quick = rows.refresh();
  tables.ends[2]?.();
  await quick;
  tables.ends[1]?.();
  await slow;
  expect(texts()).toEqual(["2 10.70.0.3"]);
});

test("when more than a few rows are gone, all rows are read", async () => {
  const tables = new Tables();
  tables.rows = Array.from({ length: 20 }, (_, n) => user(n + 1, `10.70.0.${n + 2}`));
  const rows = new RowCache(tables);
  const first = rows.refresh();
  tables.ends[0]?.();
  await first;
  tables.rows = tables.rows.slice(15);
  const reading = rows.refreshSome(some(1, 2, 3, 4, 5, 6));
  tables.ends[1]?.();
  await until(() => tables.ends.length === 3);
  tables.ends[2]?.();
  await reading;
  expect(rows.fleet?.users.map(({ rowId }) => rowId)).toEqual([16, 17, 18, 19, 20]);
});

test("a read that fails changes nothing", async () => {
  const { tables, rows, texts } = await known();
  tables.raw = (() => ({ timeout: () => Promise.reject(new Error("down")) })) as unknown as Db["raw"];
  await expect(rows.refreshSome(some(1))).rejects.toThrow("down");
  await expect(rows.refresh()).rejects.toThrow("down");
  expect(texts()).toEqual(["1 10.70.0.2", "2 10.70.0.3"]);
});
