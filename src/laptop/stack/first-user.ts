import { ApiError } from "../../client/api-error";
import { FleetClient } from "../../client/client";
import { isDomainError } from "../../domain/errors";
import { createUser, hashPassword } from "../../features/accounts";
import { openDatabase } from "../../platform/postgres/db";
import type { Component } from "./component";

const username = "pilot@example.com";

/** The account that `npm start` creates and prints. */
export const firstUser: Component = {
  name: "the first user",
  async start({ env, ready, secrets }) {
    const user = { username, password: secrets.userPassword };
    const client = new FleetClient(ready.gateway as string);
    const logIn = () => client.logIn(user.username, user.password);
    await logIn().catch(async (error: unknown) => {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      await create(env.DATABASE_URL as string, user);
      await logIn();
    });
    return { ready: { user } };
  },
};

async function create(
  databaseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const db = openDatabase(databaseUrl, { poolMax: 1, name: "fleet-laptop" });
  try {
    const password_hash = await hashPassword(password);
    await createUser(db, { username, password_hash, level: "ADMIN", active: true });
  } catch (cause) {
    if (!isDomainError(cause)) throw cause;
    throw new Error(
      `The database has a user ${username} whose password is not the one in .fleet/secrets.json. ` +
        "Start with --reset, or with the state folder that made that user.",
      { cause },
    );
  } finally {
    await db.destroy();
  }
}
