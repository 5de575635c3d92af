import { parseArgs } from "node:util";
import { z } from "zod";
import { withTemporaryLogin } from "../features/accounts";
import { type AdminCommand, withDatabase } from "./command";

const USERNAME = "helm-test@example.com";
const LIMIT_MS = 10_000;

const Arguments = z.object({ gateway: z.url() });
const Login = z.object({ access_token: z.string() });

export const command: AdminCommand = {
  usage: "check-login --gateway URL",
  summary: `Log in at a gateway, read a list and log out, as ${USERNAME}: a user without drones, enabled for these seconds only.`,

  async run(args) {
    const { values } = parseArgs({ args, options: { gateway: { type: "string" } } });
    const input = Arguments.safeParse(values);
    if (!input.success) throw new Error(`usage: admin ${this.usage}`);
    await withDatabase(async (db) => {
      await withTemporaryLogin(db, USERNAME, (password) =>
        logInAndOut(`${input.data.gateway}/api/v1`, password),
      );
      process.stdout.write(`${USERNAME} logged in, read their drones, and logged out\n`);
    });
  },
};

async function logInAndOut(api: string, password: string): Promise<void> {
  const ask = async (method: string, path: string, extra: RequestInit = {}) => {
    const response = await fetch(`${api}${path}`, {
      method,
      signal: AbortSignal.timeout(LIMIT_MS),
      ...extra,
    });
    if (!response.ok)
      throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const reply = await ask("POST", "/login", {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: USERNAME, password }),
  });
  const { access_token } = Login.parse(reply);
  const headers = { Authorization: `Bearer ${access_token}` };
  await ask("GET", "/drones", { headers });
  await ask("DELETE", "/logout", { headers });
}
