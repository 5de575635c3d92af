import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { UserReply } from "./accounts.schema";

/** The username is the email, in lower case. */
export interface User extends RowOf<typeof UserReply> {
  readonly password_hash: string | null;
  /** Tokens issued on an earlier password are refused: refresh and reset tokens always, access tokens in the strict profile. */
  readonly password_changed_at: Date;
  readonly activation_token: string | null;
  readonly extra_emails: string | null;
}

type NewUser = Pick<User, "username" | "password_hash" | "level" | "is_active" | "activation_token" | "ip">;

export const insertUser = async (db: Db, user: NewUser): Promise<User> =>
  (await db<User>("users").insert(user).returning("*"))[0] as User;

export const findUser = async (db: Db, id: number): Promise<User | undefined> =>
  db<User>("users").where({ id }).first();

export const findUserByName = async (db: Db, username: string): Promise<User | undefined> =>
  db<User>("users").whereRaw("lower(username) = lower(?)", [username]).first();

/** As `findUserByName`; locks the row until the transaction ends. */
export const lockUserByName = async (trx: Db, username: string): Promise<User | undefined> =>
  trx<User>("users").whereRaw("lower(username) = lower(?)", [username]).forUpdate().first();

type NewPassword = Pick<User, "password_hash" | "password_changed_at">;

export const setPassword = async (db: Db, id: number, password: NewPassword): Promise<void> =>
  void (await db("users")
    .where({ id })
    .update({ ...password, updated_at: db.fn.now() }));

/** Activate in one statement, so that a token is good once. Returns the user, or undefined on a bad pair. */
export const activateUser = async (db: Db, id: number, token: string): Promise<User | undefined> =>
  (
    await db<User>("users")
      .where({ id, activation_token: token })
      .update({ is_active: true, activation_token: null })
      .returning("*")
  )[0] as User | undefined;
