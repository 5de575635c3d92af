import { parseArgs } from "node:util";
import { reissueActivation } from "../features/provisioning";
import { type AdminCommand, withDatabase } from "./command";
import { droneId } from "./drone-id";

export const command: AdminCommand = {
  usage: "reissue-activation --drone ID",
  summary: "Give a drone a new activation token in place of a used or lost one, and print it.",

  async run(args) {
    const { values } = parseArgs({ args, options: { drone: { type: "string" } } });
    const id = droneId(values.drone);
    if (id === undefined) throw new Error(`usage: admin ${this.usage}`);
    await withDatabase(async (db) => {
      const token = await reissueActivation(db, id);
      process.stdout.write(`drone ${id} activation token ${token}\n`);
    });
  },
};
