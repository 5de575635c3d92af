import { z } from "zod";
import { directDatabaseGroup, processGroup, setupGroup } from "./shared";

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
  SETUP_WAIT_SECONDS: setupGroup.SETUP_WAIT_SECONDS,
});
export type MigrateConfig = z.infer<typeof migrateConfig>;
