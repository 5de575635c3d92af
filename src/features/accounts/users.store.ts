import type { Db } from "../../platform/postgres/db";
import type { Level } from "./tokens";

export interface User {
  readonly id: number;
  /** The email, in lower case. */
  readonly username: string;
  readonly password_hash: string | null;
  /** Tokens issued on an earlier password are refused: refresh and reset tokens always, access tokens in the strict profile. */
  readonly password_changed_at: Date;
  readonly level: Level | null;
  readonly is_active: boolean;
  readonly activation_token: string | null;
  /** Address in the user plane, or null until one is given. */
  readonly ip: string | null;
  readonly extra_emails: string | null;
  readonly created_at: Date;
}

type NewUser = Pick<User, "username" | "password_hash" | "level" | "is_active" | "activation_token" | "ip">;

const columns: (keyof User)[] = [
  "id",
  "username",
  "password_hash",
  "password_changed_at",
  "level",
  "is_active",
  "activation_token",
  "ip",
  "extra_emails",
  "created_at",
];

export const insertUser = async (db: Db, user: NewUser): Promise<User> =>
  (await db<User>("users").insert(user).returning(columns))[0] as User;

export const findUser = async (db: Db, id: number): Promise<User | undefined> =>
  db<User>("users").where({ id }).first(columns);

export const findUserByName = async (db: Db, username: string): Promise<User | undefined> =>
  db<User>("users").whereRaw("lower(username) = lower(?)", [username]).first(columns);

/** As `findUserByName`; locks the row until the transaction ends. */
export const lockUserByName = async (trx: Db, username: string): Promise<User | undefined> =>
  trx<User>("users").whereRaw("lower(username) = lower(?)", [username]).forUpdate().first(columns);

/** Returns whether there was such a user. */
export const updateUser = async (
  db: Db,
  id: number,
  change: Partial<Omit<User, "id" | "created_at">>,
): Promise<boolean> =>
  (await db("users")
    .where({ id })
    .update({ ...change, updated_at: db.fn.now() })) === 1;

/** Activate in one statement, so that a token is good once. Returns the user, or undefined on a bad pair. */
export const activateUser = async (db: Db, id: number, token: string): Promise<User | undefined> =>
  (
    await db<User>("users")
      .where({ id, activation_token: token })
      .update({ is_active: true, activation_token: null })
      .returning(columns)
  )[0] as User | undefined;
