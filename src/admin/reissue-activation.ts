import { parseArgs } from "node:util";
import { reissueActivation } from "../features/provisioning";
import { adminConfig, loadConfig } from "../platform/config";
import { openDatabase } from "../platform/postgres/db";
import type { AdminCommand } from "./command";
import { droneId } from "./drone-id";

export const reissueActivationCommand: AdminCommand = {
  usage: "reissue-activation --drone ID",
  summary: "Give a drone another activation token, in place of one that was used or lost, and print it.",

  async run(args) {
    const { values } = parseArgs({ args, options: { drone: { type: "string" } } });
    const id = droneId(values.drone);
    if (id === undefined) throw new Error(`usage: admin ${this.usage}`);
    const db = openDatabase(loadConfig(adminConfig).DATABASE_URL, { poolMax: 1, name: "fleet-admin" });
    try {
      const token = await reissueActivation(db, id);
      process.stdout.write(`drone ${id} activation token ${token}\n`);
    } finally {
      await db.destroy();
    }
  },
};
