import type { Knex } from "knex";

/** The drones at each port of the simulator: a new one gets the port that the fewest have, and that was left first. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX drones_simulated_port ON drones (port, deleted_at) WHERE type = 'sitl'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX drones_simulated_port");
}
