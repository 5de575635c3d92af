import { loadConfig, tunnelRoleConfig } from "../platform/config";
import { ensureReader } from "../platform/postgres/reader-role";
import { type AdminCommand, withDatabase } from "./command";

/** The tables that the tunnel service reads. LISTEN needs no right. */
const TABLES = ["users", "drones"];

export const command: AdminCommand = {
  usage: "tunnel-role",
  summary:
    "Create the database role of TUNNEL_DATABASE_URL, which may read only the tables that the tunnel needs, or set its password. The role of DATABASE_URL must be allowed to create roles.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(tunnelRoleConfig);
    const { username, password } = new URL(config.TUNNEL_DATABASE_URL);
    const reader = { role: decodeURIComponent(username), password: decodeURIComponent(password) };
    if (!reader.role || !reader.password)
      throw new Error("TUNNEL_DATABASE_URL must have a user and a password.");
    await withDatabase(async (db) => {
      await ensureReader(db, reader, TABLES);
      process.stdout.write(`role ${reader.role} may read ${TABLES.join(" and ")}\n`);
    }, config.DATABASE_DIRECT_URL ?? config.DATABASE_URL);
  },
};
