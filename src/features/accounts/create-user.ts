import { randomBytes } from "node:crypto";
import { USER_RANGE } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";
import { allocateAddress } from "../vpn";
import { insertUser, type User } from "./users.store";

type CreateUserInput = Pick<User, "username" | "password_hash" | "level"> & {
  /** An inactive user gets an activation token and cannot log in before using it. */
  readonly active: boolean;
};

/** Create a user with an address in the user plane. Rejects with `constraint_violated` when the email is taken. */
export const createUser = (db: Db, { username, active, ...user }: CreateUserInput): Promise<User> =>
  db.transaction(async (trx) =>
    insertUser(trx, {
      ...user,
      username: username.toLowerCase(),
      is_active: active,
      activation_token: active ? null : randomBytes(24).toString("base64url"),
      ip: await allocateAddress(trx, USER_RANGE),
    }),
  );
