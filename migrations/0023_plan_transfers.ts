import type { Knex } from "knex";

/** Plans on their way to a drone. A row outlives the transfer when the gateway or the link ended in the middle of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE plan_transfers (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('mission', 'fence')),
      mission_id integer REFERENCES missions (id) ON DELETE SET NULL,
      before jsonb,
      sent jsonb NOT NULL,
      begun_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX plan_transfers_of_drone ON plan_transfers (drone_id);
    CREATE INDEX plan_transfers_of_mission ON plan_transfers (mission_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE plan_transfers");
}
