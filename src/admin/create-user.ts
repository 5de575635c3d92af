import { parseArgs } from "node:util";
import { z } from "zod";
import { createUser, hashPassword } from "../features/accounts";
import { adminConfig, loadConfig } from "../platform/config";
import { issueMessage } from "../platform/config/issue-message";
import { explainDatabaseError } from "../platform/postgres/errors";
import { type AdminCommand, withDatabase } from "./command";

const Arguments = z.object({
  username: z.email(),
  password: z.string().min(8).max(128),
  level: z.enum(["ADMIN", "CUSTOMER"]),
});

export const command: AdminCommand = {
  usage: "create-user --username EMAIL [--level ADMIN|CUSTOMER] [--active] < password",
  summary:
    "Create a user, with an address; the password is read from standard input. Prints the activation link, or nothing to activate with --active.",

  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        username: { type: "string" },
        level: { type: "string", default: "CUSTOMER" },
        active: { type: "boolean", default: false },
      },
    });
    const input = Arguments.safeParse({ ...values, password: await firstLine(process.stdin) });
    if (!input.success) {
      const faults = input.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issueMessage(issue)}`);
      throw new Error(`usage: admin ${this.usage}\n${faults.join("\n")}`);
    }
    const { password, ...account } = input.data;
    const password_hash = await hashPassword(password);
    const config = loadConfig(adminConfig);
    await withDatabase(async (db) => {
      const user = await createUser(db, { ...account, password_hash, active: values.active });
      process.stdout.write(`user ${user.id} ${user.username} ${user.ip}\n`);
      if (user.activation_token) {
        process.stdout.write(
          `activate ${config.PUBLIC_ORIGIN}/activate/${user.id}/${user.activation_token}\n` +
            `  (a page of the web client; without one: POST /api/v1/activate/${user.id}/${user.activation_token})\n`,
        );
      }
    }, config.DATABASE_URL).catch((error) => {
      throw explainDatabaseError(error) ?? error;
    });
  },
};

/** The password comes through a pipe: a command line is visible in every process list. */
async function firstLine(stream: NodeJS.ReadStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text.split("\n")[0]?.trim() ?? "";
}
