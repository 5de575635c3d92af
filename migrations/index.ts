import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { Knex } from "knex";

/**
 * The migrations of this folder, in order, by the names that the database remembers. Names never change once released.
 * They have no file extension: the list is the same for the sources and for the compiled output.
 */
export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () =>
    [...new Set(readdirSync(__dirname).map((file) => parse(file).name))]
      .filter((name) => /^\d{4}_\w+$/.test(name))
      .sort(),
  getMigrationName: (name) => name,
  getMigration: async (name) => require(join(__dirname, name)) as Knex.Migration,
};
