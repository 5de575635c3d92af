import type { Knex } from "knex";

/** The object of a completed upload is recognised: one that replaces it later is not read. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE assets ADD COLUMN etag text");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE assets DROP COLUMN etag");
}
