import knex from "knex";
import { migrationSource } from "../../migrations";
import { startPostgres } from "../laptop/servers/postgres";
import { migrateJobs } from "../platform/jobs/jobs";
import { databaseServerVariable, templateDatabase } from "./fresh-database";
import { clearAbandonedRuns, clearRunFolderNow, makeRunFolder, runFolderVariable } from "./run-folder";

/** One Postgres for the whole run, with a migrated template that every test file clones. */
export default async function globalSetup(): Promise<void> {
  await clearAbandonedRuns();
  const folder = makeRunFolder();
  // Also when jest is interrupted and its teardown never runs.
  process.once("exit", () => clearRunFolderNow(folder));
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  const server = await startPostgres({
    folder: `${folder}/postgres`,
    database: templateDatabase,
    durable: false,
  });
  const database = knex({ client: "pg", connection: server.url, pool: { min: 0, max: 1 } });
  try {
    await database.migrate.latest({ migrationSource });
    await migrateJobs(server.url);
  } finally {
    await database.destroy();
  }
  process.env[runFolderVariable] = folder;
  process.env[databaseServerVariable] = server.url;
}
