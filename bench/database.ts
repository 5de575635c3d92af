import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrationSource } from "../migrations";
import { startPostgres } from "../src/laptop/servers/postgres";
import { migrateSchema } from "../src/platform/postgres/migrate";
import type { CleanupStack } from "../src/testing/repository/cleanup-stack";

/** A folder for a benchmark's servers, and a Postgres in it with the schema; `stops` removes both. */
export async function startBenchDatabase(stops: CleanupStack): Promise<{ folder: string; url: string }> {
  const folder = mkdtempSync(join(tmpdir(), "fleet-bench-"));
  stops.add(() => rmSync(folder, { recursive: true, force: true }));
  const { url } = await stops.keep(
    startPostgres({ folder: join(folder, "pg"), database: "bench", durable: false }),
  );
  await migrateSchema(url, migrationSource);
  return { folder, url };
}
