import { randomBytes } from "node:crypto";
import pg from "pg";
import { atEndOfFile } from "./clean-up";

export const databaseServerVariable = "FLEET_TEST_DATABASE_SERVER";
export const templateDatabase = "fleet_template";

export interface FreshDatabase {
  /** postgres:// with the database's name. */
  readonly url: string;
  /** Called at the end of the test file too. It terminates open connections. */
  drop(): Promise<void>;
}

/** An empty, migrated database for the caller, cloned from the run's template. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY FILE_COPY`);
  const drop = async () => void (await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  atEndOfFile(drop);
  return { url: serverUrl(name), drop };
}

function serverUrl(database: string): string {
  const given = process.env[databaseServerVariable];
  if (!given) throw new Error("No test run is set up: this code runs under jest only.");
  const url = new URL(given);
  url.pathname = `/${database}`;
  return url.href;
}

const onServer = (statement: string) => queryOnce(serverUrl("postgres"), statement);

/** The rows of one statement, on a connection of its own. */
export async function queryOnce(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
