import type { Knex } from "knex";

/**
 * Flights of drones, and the files that they uploaded.
 *
 * Rows belong to the owner that the drone had when they were made, and outlive the drone's deletion, which is
 * soft. A size is bytes, a checksum hex in lower case.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE executions (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      mission_id integer REFERENCES missions (id) ON DELETE SET NULL,
      mission_name text,
      status text NOT NULL DEFAULT 'in_progress'
        CHECK (status IN ('in_progress', 'completed', 'aborted', 'error')),
      notes text,
      started_at timestamptz NOT NULL,
      completed_at timestamptz,
      plan_state text NOT NULL DEFAULT 'unread'
        CHECK (plan_state IN ('unread', 'verified', 'different', 'unverified')),
      plan_hash text,
      plan_items jsonb,
      verified_plan_hash text,
      log_asset_id integer,
      report text NOT NULL DEFAULT 'none' CHECK (report IN ('none', 'pending', 'queued', 'sent')),
      report_sent_at timestamptz,
      CHECK ((status = 'in_progress') = (completed_at IS NULL))
    );
    CREATE UNIQUE INDEX executions_one_current ON executions (drone_id) WHERE status = 'in_progress';
    CREATE INDEX executions_of_user ON executions (user_id, id DESC);
    CREATE INDEX executions_of_drone ON executions (drone_id, id DESC);

    CREATE TABLE assets (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      execution_id integer REFERENCES executions (id) ON DELETE SET NULL,
      asset_type text NOT NULL CHECK (asset_type IN ('video', 'image', 'logs')),
      file_name text NOT NULL,
      mime_type text,
      checksum text,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ready', 'failed')),
      failure text,
      size bigint,
      sha256 text,
      thumbnail boolean NOT NULL DEFAULT false,
      stream text NOT NULL DEFAULT 'none' CHECK (stream IN ('none', 'pending', 'ready', 'failed')),
      created_at timestamptz NOT NULL DEFAULT now(),
      completed_at timestamptz,
      url_expires_at timestamptz NOT NULL
    );
    CREATE INDEX assets_of_drone ON assets (drone_id, id DESC);
    CREATE INDEX assets_of_execution ON assets (execution_id);
    CREATE INDEX assets_of_user ON assets (user_id);
    CREATE INDEX assets_by_content ON assets (drone_id, checksum);
    ALTER TABLE executions ADD CONSTRAINT executions_log_asset
      FOREIGN KEY (log_asset_id) REFERENCES assets (id) ON DELETE SET NULL;

    CREATE TABLE flight_stats (
      execution_id integer PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
      asset_id integer REFERENCES assets (id) ON DELETE SET NULL,
      status text NOT NULL CHECK (status IN ('pending', 'ready', 'failed')),
      stats jsonb,
      error text,
      analysed_at timestamptz
    );

    CREATE TABLE report_mails (
      execution_id integer NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
      recipient text NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (execution_id, recipient)
    );

    CREATE TABLE archives (
      execution_id integer PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
      revision integer NOT NULL DEFAULT 1,
      made_revision integer,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ready', 'failed')),
      size bigint,
      sha256 text,
      error text,
      requested_at timestamptz NOT NULL DEFAULT now(),
      made_at timestamptz
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE archives;
    DROP TABLE report_mails;
    DROP TABLE flight_stats;
    ALTER TABLE executions DROP CONSTRAINT executions_log_asset;
    DROP TABLE assets;
    DROP TABLE executions;
  `);
}
