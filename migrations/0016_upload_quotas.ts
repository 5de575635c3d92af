import type { Knex } from "knex";

/** What is asked of uploads: announced sizes, one check of a drone at a time, and reasons of pictures that are refused. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE assets
      ADD COLUMN announced_size bigint,
      ADD COLUMN checked jsonb,
      ADD COLUMN derivation_failure text;
    DROP INDEX assets_of_user;
    CREATE INDEX assets_of_user ON assets (user_id, drone_id) INCLUDE (status, size);
    CREATE TABLE upload_checks (
      drone_id integer PRIMARY KEY REFERENCES drones (id) ON DELETE CASCADE,
      holder text NOT NULL,
      expires_at timestamptz NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE upload_checks;
    DROP INDEX assets_of_user;
    CREATE INDEX assets_of_user ON assets (user_id);
    ALTER TABLE assets
      DROP COLUMN announced_size,
      DROP COLUMN checked,
      DROP COLUMN derivation_failure;
  `);
}
