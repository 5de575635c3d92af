import { randomBytes } from "node:crypto";
import type { Db } from "../../platform/postgres/db";
import { createUser } from "./create-user";
import { hashPassword } from "./passwords";
import { findUserByName, updateUser } from "./users.store";

/**
 * Enables this user for as long as `work` runs, with a random password that only `work` gets. Creates the user when
 * there is none. Rejects as `work` does.
 */
export async function withTemporaryLogin<T>(
  db: Db,
  username: string,
  work: (password: string) => Promise<T>,
): Promise<T> {
  const password = randomBytes(24).toString("base64url");
  const known = await findUserByName(db, username);
  const user =
    known ?? (await createUser(db, { username, password_hash: null, level: "CUSTOMER", active: false }));
  try {
    const password_hash = await hashPassword(password);
    // Voids the tokens of an earlier run.
    const password_changed_at = new Date();
    await updateUser(db, user.id, {
      password_hash,
      password_changed_at,
      is_active: true,
      activation_token: null,
    });
    return await work(password);
  } finally {
    await updateUser(db, user.id, { password_hash: null, is_active: false, activation_token: null });
  }
}
