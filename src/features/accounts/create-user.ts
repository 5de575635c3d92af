import { randomBytes } from "node:crypto";
import { USER_RANGE } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";
import { allocateAddress } from "../vpn";
import { hashPassword } from "./passwords";
import type { Level } from "./tokens";
import { insertUser, type User } from "./users.store";

export interface CreateUserInput {
  readonly username: string;
  readonly password: string;
  readonly level: Level | null;
  /** An inactive user gets an activation token and cannot log in before using it. */
  readonly active: boolean;
}

/**
 * Create a user with a password and an address in the user plane. Rejects with `constraint_violated`
 * when the email is taken.
 */
export async function createUser(db: Db, { password, ...input }: CreateUserInput): Promise<User> {
  return addUser(db, { ...input, password_hash: await hashPassword(password) });
}

/** As `createUser`, with a password that was hashed before. */
export function addUser(
  db: Db,
  {
    username,
    password_hash,
    level,
    active,
  }: Omit<CreateUserInput, "password"> & { readonly password_hash: string },
): Promise<User> {
  return db.transaction(async (trx) =>
    insertUser(trx, {
      username: username.toLowerCase(),
      password_hash,
      level,
      is_active: active,
      activation_token: active ? null : randomBytes(24).toString("base64url"),
      ip: await allocateAddress(trx, USER_RANGE),
    }),
  );
}
