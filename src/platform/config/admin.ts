import { z } from "zod";
import { databaseGroup, mailGroup } from "./shared";

export const adminConfig = z.object({
  DATABASE_URL: databaseGroup.DATABASE_URL,
  PUBLIC_ORIGIN: mailGroup.PUBLIC_ORIGIN,
});
export type AdminConfig = z.infer<typeof adminConfig>;
