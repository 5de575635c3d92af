import type { Db } from "../../platform/postgres/db";

/** By table: how many rows it has, and a hash over all of them. */
type DatabaseDigest = Readonly<Record<string, string>>;

/** A digest of every table, with the background jobs, to compare before and after. */
export async function databaseDigest(db: Db): Promise<DatabaseDigest> {
  const { rows: tables } = await db.raw(`
    SELECT schemaname || '.' || tablename AS name FROM pg_tables
    WHERE schemaname = 'public' OR (schemaname, tablename) = ('graphile_worker', '_private_jobs') ORDER BY 1`);
  const digests = (tables as { name: string }[]).map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || coalesce(md5(string_agg(row::text, '|' ORDER BY row::text)), '')
        AS digest FROM ${name} AS row`,
  );
  const { rows } = await db.raw(digests.join(" UNION ALL "));
  return Object.fromEntries(
    (rows as { name: string; digest: string }[]).map(({ name, digest }) => [name, digest]),
  );
}
