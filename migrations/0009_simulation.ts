import type { Knex } from "knex";

/** When the running session of the simulation instance began. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE simulation_sessions (
      instance_id text PRIMARY KEY,
      started_at timestamptz NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE simulation_sessions;");
}
