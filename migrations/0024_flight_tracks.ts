import type { Knex } from "knex";

/**
 * Tracks of flights, made with the statistics of the same `analysed_at`. They are up to 400 kB and are read as a whole: as
 * `json`, Postgres keeps the text.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE flight_tracks (
      execution_id integer PRIMARY KEY REFERENCES flight_stats (execution_id) ON DELETE CASCADE,
      analysed_at timestamptz NOT NULL,
      track json NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE flight_tracks");
}
