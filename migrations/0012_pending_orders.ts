import type { Knex } from "knex";

/** Orders that are under way, or whose gateway died: few among all that were ever given. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX drone_commands_pending ON drone_commands (requested_at) WHERE outcome = 'pending';",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX drone_commands_pending;");
}
