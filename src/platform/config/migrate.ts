import { z } from "zod";
import { seconds } from "./fields";
import { directDatabaseGroup, processGroup } from "./shared";

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
  MIGRATE_WAIT_SECONDS: seconds(120, "How long the database, and with `--wait` the schema, is waited for."),
});
export type MigrateConfig = z.infer<typeof migrateConfig>;
