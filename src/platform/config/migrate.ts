import { z } from "zod";
import { positiveInt } from "./fields";
import { directDatabaseGroup, processGroup } from "./shared";

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
  MIGRATE_WAIT_SECONDS: positiveInt(120, "How long `--wait` waits for the schema before it gives up."),
});
export type MigrateConfig = z.infer<typeof migrateConfig>;
