import { parseArgs } from "node:util";
import { z } from "zod";
import { grantSubscription, revokeSubscription } from "../features/billing";
import { type AdminCommand, withDatabase } from "./command";

const Vehicles = z
  .string()
  .regex(/^[1-9]\d{0,4}$/)
  .transform(Number);
const Arguments = z
  .object({ username: z.email(), revoke: z.boolean(), vehicles: Vehicles.optional() })
  .refine(({ revoke, vehicles }) => revoke === (vehicles === undefined));

export const command: AdminCommand = {
  usage: "grant-subscription --username EMAIL (--vehicles COUNT | --revoke)",
  summary: "Give a user vehicles without a payment, as many as COUNT (1 to 99999), or take that back.",

  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        username: { type: "string" },
        vehicles: { type: "string" },
        revoke: { type: "boolean", default: false },
      },
    });
    const input = Arguments.safeParse(values);
    if (!input.success) throw new Error(`usage: admin ${this.usage}`);
    const { username, vehicles } = input.data;
    await withDatabase(async (db) => {
      const { status, vehicle_count } =
        vehicles === undefined
          ? await revokeSubscription(db, username)
          : await grantSubscription(db, username, vehicles);
      process.stdout.write(`subscription ${username} ${status} ${vehicle_count}\n`);
    });
  },
};
