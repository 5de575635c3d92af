import type { Knex } from "knex";

/**
 * Records that the gateway writes of vehicles' links: assets with a state of their own. Statistics say whether they are
 * of such a record.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE assets ADD COLUMN record text CHECK (record IN ('open', 'closed', 'joined'));
    CREATE INDEX assets_open_records ON assets (drone_id) WHERE record = 'open';
    ALTER TABLE flight_stats ADD COLUMN recorded boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE flight_stats DROP COLUMN recorded;
    DROP INDEX assets_open_records;
    ALTER TABLE assets DROP COLUMN record;
  `);
}
