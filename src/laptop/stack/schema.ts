import { migrationSource } from "../../../migrations";
import { migrateSchema } from "../../platform/postgres/migrate";
import type { Component } from "./component";

export const schema: Component = {
  name: "the database schema",
  async start({ env }) {
    await migrateSchema((env.DATABASE_DIRECT_URL ?? env.DATABASE_URL) as string, migrationSource);
    return {};
  },
};
