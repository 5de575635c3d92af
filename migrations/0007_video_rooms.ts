import type { Knex } from "knex";

/** The keys of each drone's room on the media server, and who changes it until when. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE video_rooms (
      drone_id integer PRIMARY KEY REFERENCES drones (id) ON DELETE CASCADE,
      pin text,
      secret text,
      held_until timestamptz NOT NULL,
      CHECK ((pin IS NULL) = (secret IS NULL))
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE video_rooms;");
}
