import type { Knex } from "knex";

/**
 * Events, and what is different about single occurrences of those that recur. An exception is known by the
 * instant that the rule gives its occurrence.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE calendar_events (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      mission_id integer REFERENCES missions (id) ON DELETE SET NULL,
      execution_id integer REFERENCES executions (id) ON DELETE SET NULL,
      title text NOT NULL,
      description text,
      scheduled_time timestamptz NOT NULL,
      status text NOT NULL DEFAULT 'scheduled'
        CHECK (status IN ('scheduled', 'in_progress', 'completed', 'cancelled', 'failed')),
      recurrence_rule text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT calendar_events_title_at_time UNIQUE (user_id, scheduled_time, title)
    );
    CREATE INDEX calendar_events_recurring ON calendar_events (user_id) WHERE recurrence_rule IS NOT NULL;
    CREATE INDEX calendar_events_of_drone ON calendar_events (drone_id);
    CREATE INDEX calendar_events_of_mission ON calendar_events (mission_id);
    CREATE INDEX calendar_events_of_execution ON calendar_events (execution_id);

    CREATE TABLE calendar_exceptions (
      event_id integer NOT NULL REFERENCES calendar_events (id) ON DELETE CASCADE,
      occurrence_time timestamptz NOT NULL,
      status text NOT NULL CHECK (status IN ('in_progress', 'completed', 'cancelled', 'failed')),
      execution_id integer REFERENCES executions (id) ON DELETE SET NULL,
      PRIMARY KEY (event_id, occurrence_time)
    );
    CREATE INDEX calendar_exceptions_of_execution ON calendar_exceptions (execution_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE calendar_exceptions;
    DROP TABLE calendar_events;
  `);
}
