import { migrationSource } from "../migrations";
import { loadConfig, migrateConfig } from "../src/platform/config";
import { migrateSchema, waitForDatabase, waitForSchema } from "../src/platform/postgres/migrate";
import { runProcess } from "../src/platform/process/lifecycle";
import { createLogger } from "../src/platform/process/log";

/** `migrate` brings the schema up to date, when the database answers; `migrate --wait` waits until another process has done so. */
runProcess(async () => {
  const config = loadConfig(migrateConfig);
  const log = createLogger("migrate", config.LOG_LEVEL);
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  if (process.argv.includes("--wait")) {
    await waitForSchema(url, migrationSource);
    log.info("The schema is up to date");
    return;
  }
  await waitForDatabase(url);
  const applied = await migrateSchema(url, migrationSource);
  log.info({ applied }, applied.length > 0 ? "Migrated the schema" : "The schema was up to date already");
});
