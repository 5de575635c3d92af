import type { crew } from "../clients/crew";
import { MINUTES } from "../flight";
import { deploy, exec, expectHelmTestSucceeds, podsOf, release, rollBack } from "../release";

/** Undoes the newest migration, as a release has the schema that was made before it. Runs in a gateway. */
const undo = `
const { migrationSource } = require("./dist/migrations");
const { openDatabase } = require("./dist/src/platform/postgres/db");
const db = openDatabase(process.env.DATABASE_URL, { poolMax: 1, name: "undo" });
db.migrate.down({ migrationSource, disableMigrationsListValidation: true })
  .then(([, undone]) => console.log(undone.join()))
  .finally(() => db.destroy());
`;

const sql = async (statement: string): Promise<string> => {
  const command = ["psql", "-U", "fleet", "-d", "fleet", "-tAc", statement];
  return (await exec(`statefulset/${release}-postgres`, "postgres", command)).trim();
};

const migrations = async (): Promise<string[]> =>
  (await sql("SELECT name FROM knex_migrations ORDER BY id")).split("\n");

/** Of the API, on a machine that is busy with other work; docs/upgrade.md has what was measured. */
const LIMIT_MS = 5_000;

/** Two migrations lie between the releases: one that the upgrade runs, and one that its image does not know. */
export function testMeasuredUpgrades(interruptions: ReturnType<typeof crew.interruptions>): void {
  let undone: string;

  test(
    "an upgrade migrates while the older pods serve, and replaces gateway and relay without a lost tunnel",
    async () => {
      undone = (await exec(`deployment/${release}-gateway`, "gateway", ["node", "-e", undo])).trim();
      expect(undone).toMatch(/^\d{4}_\w+$/);
      expect(await migrations()).not.toContain(undone);
      const [hub] = await podsOf("tunnel");
      const gaps = await interruptions.during("upgrade: gateway and relay", () =>
        deploy({ "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6100, "relay.env.RELAY_MAX_SESSIONS": 9000 }),
      );
      expect(await migrations()).toContain(undone);
      expect((await podsOf("tunnel"))[0]?.metadata?.uid).toBe(hub?.metadata?.uid);
      expect(gaps.API).toBeLessThan(LIMIT_MS);
      expect(gaps.tunnel).toBeLessThan(2_000);
      expect(gaps["drone's calls"]).toBeLessThan(2 * LIMIT_MS);
    },
    12 * MINUTES,
  );

  test(
    "a rollback leaves the migrations of the newer release as they are, and serves on their schema",
    async () => {
      // As an image would leave it that is newer than the one that is here.
      await sql("INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_newer', 99, now())");
      await sql("ALTER TABLE missions ADD COLUMN newer text");
      const gaps = await interruptions.during("rollback: gateway and relay", rollBack);
      expect(await migrations()).toEqual(expect.arrayContaining([undone, "9999_newer"]));
      expect(await sql("SELECT count(newer) FROM missions")).toBe("0");
      expect(gaps.API).toBeLessThan(LIMIT_MS);
      expect(gaps.tunnel).toBeLessThan(2_000);
      await expectHelmTestSucceeds();
    },
    12 * MINUTES,
  );

  test(
    "an upgrade that replaces the tunnel's pod touches no tunnel, and not the API",
    async () => {
      const [before] = await podsOf("tunnel");
      const gaps = await interruptions.during("upgrade: the tunnel's pod", () =>
        deploy({ "tunnel.env.DB_REFRESH_SECONDS": 5 }),
      );
      expect((await podsOf("tunnel"))[0]?.metadata?.uid).not.toBe(before?.metadata?.uid);
      expect(gaps.API).toBeLessThan(LIMIT_MS);
      expect(gaps.tunnel).toBeLessThan(2_000);
    },
    12 * MINUTES,
  );
}
