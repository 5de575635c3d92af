import { DomainError } from "../../domain/errors";
import type { Clock } from "../../platform/clock";
import type { Db } from "../../platform/db";
import type { Mail, Mailer } from "../../platform/mail";
import type { RateLimit } from "../../platform/rate-limit";
import type { Blocklist } from "./blocklist";
import { createUser } from "./create-user";
import { resetMail, verificationMail } from "./mails";
import { hashPassword, passwordMatches } from "./passwords";
import { isFromBefore, whyVoid } from "./standing";
import type { TokenPair, Tokens } from "./tokens";
import { activateUser, findUser, findUserByName, type User, updateUser } from "./users.store";

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly blocklist: Blocklist;
  readonly mailer: Mailer;
  /** Links in mails begin with it; never with a header of the request, which anyone can set. */
  readonly origin: string;
  readonly failedTries: RateLimit;
  readonly mails: RateLimit;
}

/** What people do with their accounts. */
export function accountsService({ db, clock, tokens, blocklist, mailer, origin, failedTries, mails }: Deps) {
  const send = async (mail: Mail) => {
    await mails.take(mail.to.toLowerCase());
    try {
      await mailer.send(mail);
    } catch (error) {
      throw new DomainError("unavailable", "The mail could not be sent; try again later.", { cause: error });
    }
  };

  return {
    /** An unknown user, an inactive one and a wrong password look the same. */
    async logIn(username: string, password: string, address: string): Promise<TokenPair> {
      const tries = `login:${address}:${username.toLowerCase()}`;
      await failedTries.take(tries);
      const user = await findUserByName(db, username);
      const matches = await passwordMatches(password, user?.password_hash ?? null);
      if (!user?.is_active || !matches) {
        throw new DomainError("invalid_credentials", "The username or the password is wrong.");
      }
      await failedTries.forgive(tries);
      return tokens.pair(user.id);
    },

    async refresh(caller: { id: number; issuedAt: number }): Promise<TokenPair> {
      const why = whyVoid(caller, await findUser(db, caller.id));
      if (why) throw new DomainError("unauthenticated", why);
      return tokens.pair(caller.id);
    },

    logOut: async (jti: string, expiresAt: number): Promise<void> => {
      await blocklist.add(jti, expiresAt);
    },

    async sendVerification(email: string): Promise<void> {
      if (await findUserByName(db, email)) {
        throw new DomainError("user_exists", "A user with this email exists already.");
      }
      await send(verificationMail(email, origin, tokens.verification(email)));
    },

    async register(token: string, password: string): Promise<User> {
      const username = tokens.verifiedEmail(token);
      if (!username)
        throw new DomainError("unauthenticated", "This link is not valid any more; ask for a new one.");
      return createUser(db, { username, password, level: "CUSTOMER", active: true });
    },

    async activate(userId: number, token: string, address: string): Promise<TokenPair> {
      const tries = `activate:${address}:${userId}`;
      await failedTries.take(tries);
      const wrong = new DomainError(
        "invalid_credentials",
        "This user and activation token do not belong together.",
      );
      const user = await findUser(db, userId);
      if (!user || user.activation_token !== token) throw wrong;
      if (!user.level)
        throw new DomainError("level_missing", "This user has no level yet; an administrator sets it.");
      if (!(await activateUser(db, userId, token))) throw wrong;
      await failedTries.forgive(tries);
      return tokens.pair(userId, user.level);
    },

    async sendReset(email: string): Promise<void> {
      const user = await findUserByName(db, email);
      if (!user) throw new DomainError("no_such_user", "No user has this email.");
      await send(resetMail(user.username, origin, tokens.reset(user.username)));
    },

    /** The mailed token works once, and none from before. A login's token names no email, so it finds nobody. */
    async updatePassword(
      reset: { identity: string; jti: string; issuedAt: number; expiresAt: number },
      password: string,
    ): Promise<User> {
      const user = await findUserByName(db, reset.identity);
      if (!user) throw new DomainError("password_not_updated", "Unable to update password");
      const password_hash = await hashPassword(password);
      if (isFromBefore(reset, user) || !(await blocklist.add(reset.jti, reset.expiresAt))) {
        throw new DomainError("unauthenticated", "This link was used already; ask for a new one.");
      }
      await updateUser(db, user.id, { password_hash, password_changed_at: clock.now() });
      return user;
    },

    async user(id: number): Promise<User> {
      const user = await findUser(db, id);
      if (!user) throw new DomainError("not_found", "This user does not exist any more.");
      return user;
    },
  };
}

export type AccountsService = ReturnType<typeof accountsService>;
