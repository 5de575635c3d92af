import { type AdminCommand, withDatabase } from "./command";

export const command: AdminCommand = {
  usage: 'sql "STATEMENT"',
  summary: "Run one SQL statement in the service's database, with the gateway's rights, and print its rows.",

  async run([statement, ...others]) {
    if (!statement || others.length > 0) throw new Error(`usage: admin ${this.usage}`);
    await withDatabase(async (db) => {
      // A question mark is an operator of Postgres here, not a place for a value.
      const result = await db.raw(statement.replaceAll("?", "\\?"));
      for (const { rows, command: kind, rowCount } of [result].flat()) {
        if (rows.length > 0) console.table(rows);
        else process.stdout.write(`${kind}: ${rowCount ?? 0} rows\n`);
      }
    });
  },
};
