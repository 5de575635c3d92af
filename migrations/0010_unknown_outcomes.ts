import type { Knex } from "knex";

/** A command whose answer was lost between two replicas: it may have been done or not. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    ALTER TABLE drone_commands
      DROP CONSTRAINT drone_commands_outcome_check,
      ADD CONSTRAINT drone_commands_outcome_check
        CHECK (outcome IN ('pending', 'accepted', 'failed', 'unknown'))`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    UPDATE drone_commands SET outcome = 'failed' WHERE outcome = 'unknown';
    ALTER TABLE drone_commands
      DROP CONSTRAINT drone_commands_outcome_check,
      ADD CONSTRAINT drone_commands_outcome_check CHECK (outcome IN ('pending', 'accepted', 'failed'))`);
}
