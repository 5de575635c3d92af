import type { Knex } from "knex";

/** Tokens that were logged out, for a Redis that has lost its data. A row is of no use once it has expired. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE revoked_tokens (
      jti text PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX revoked_tokens_expiry ON revoked_tokens (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE revoked_tokens;");
}
