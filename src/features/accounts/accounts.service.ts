import { DomainError } from "../../domain/errors";
import type { Mail, Mailer } from "../../platform/mail";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { RateLimit } from "../../platform/redis/rate-limit";
import type { Blocklist } from "./blocklist";
import { createUser } from "./create-user";
import { resetMail, verificationMail } from "./mails";
import { hashPassword, passwordMatches, type Sender } from "./passwords";
import { revokedTokens } from "./revoked-tokens.store";
import { type Bearer, isFromBefore, whyVoid } from "./standing";
import type { TokenPair, Tokens } from "./tokens";
import { activateUser, findUser, findUserByName, lockUserByName, type User, updateUser } from "./users.store";

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly blocklist: Blocklist;
  readonly mailer: Mailer;
  /** Links in mails begin with it; never with a header of the request, which anyone can set. */
  readonly origin: string;
  /** Of a network with one account. */
  readonly failedTries: RateLimit;
  /** Of a network with whatever account. */
  readonly failedLogins: RateLimit;
  readonly mails: RateLimit;
}

/** What people do with their accounts. */
export function accountsService(deps: Deps) {
  const { db, clock, tokens, blocklist, mailer, origin, failedTries, failedLogins, mails } = deps;
  const send = async (mail: Mail) => {
    await mails.take(mail.to.toLowerCase());
    try {
      await mailer.send(mail);
    } catch (error) {
      throw new DomainError("unavailable", "The mail could not be sent; try again later.", { cause: error });
    }
  };

  /** On the row as it was judged: a password that is set meanwhile makes the pair void. */
  const pairFor = ({ id, password_changed_at }: User) => tokens.pair(id, { password_changed_at });

  const lookAt = async (username: string, password: string, sender: Sender) => {
    const user = await findUserByName(db, username);
    return { user, matches: await passwordMatches(password, user?.password_hash ?? null, sender) };
  };

  return {
    /** An unknown user, an inactive one and a wrong password look the same. */
    async logIn(username: string, password: string, sender: Sender): Promise<TokenPair> {
      const { network } = sender;
      const tries = `login:${network}:${username.toLowerCase()}`;
      // What a network that is refused tries of an account is not held against the account's own user there.
      await failedLogins.check(network);
      await failedTries.take(tries);
      await failedLogins.take(network);
      const { user, matches } = await lookAt(username, password, sender).catch(async (error: unknown) => {
        // Nothing was learnt of the password.
        await Promise.all([failedTries.giveBack(tries), failedLogins.giveBack(network)]);
        throw error;
      });
      if (!user?.is_active || !matches) {
        throw new DomainError("invalid_credentials", "The username or the password is wrong.");
      }
      await Promise.all([failedTries.forgive(tries), failedLogins.giveBack(network)]);
      return pairFor(user);
    },

    async refresh(caller: Bearer): Promise<TokenPair> {
      const user = await findUser(db, caller.id);
      const why = whyVoid(caller, user);
      if (why) throw new DomainError("unauthenticated", why);
      return pairFor(user as User);
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

    async register(token: string, password: string, sender: Sender): Promise<User> {
      const username = tokens.verifiedEmail(token);
      if (!username)
        throw new DomainError("unauthenticated", "This link is not valid any more; ask for a new one.");
      return createUser(db, { username, password, level: "CUSTOMER", active: true }, sender);
    },

    async activate(userId: number, token: string, network: string): Promise<TokenPair> {
      const tries = `activate:${network}:${userId}`;
      await failedTries.take(tries);
      const wrong = new DomainError(
        "invalid_credentials",
        "This user and activation token do not belong together.",
      );
      const user = await findUser(db, userId);
      if (!user || user.activation_token !== token) throw wrong;
      if (!user.level)
        throw new DomainError("level_missing", "This user has no level yet; an administrator sets it.");
      const activated = await activateUser(db, userId, token);
      if (!activated) throw wrong;
      await failedTries.forgive(tries);
      return tokens.pair(userId, activated);
    },

    async sendReset(email: string): Promise<void> {
      const user = await findUserByName(db, email);
      if (!user) throw new DomainError("no_such_user", "No user has this email.");
      await send(resetMail(user.username, origin, tokens.reset(user.username, user)));
    },

    /**
     * The mailed token works once, and none from before. A login's token names no email, so it finds nobody. That it was
     * used is kept with the new password or not at all: a failure leaves the link good.
     */
    async updatePassword(
      reset: Omit<Bearer, "id"> & { identity: string; jti: string; expiresAt: number },
      password: string,
      sender: Sender,
    ): Promise<User> {
      const password_hash = await hashPassword(password, sender);
      return db.transaction(async (trx) => {
        const user = await lockUserByName(trx, reset.identity);
        if (!user) throw new DomainError("password_not_updated", "Unable to update password");
        const now = clock.now();
        const expiresAt = new Date(reset.expiresAt * 1000);
        if (isFromBefore(reset, user) || !(await revokedTokens(trx).keep(reset.jti, expiresAt, now))) {
          throw new DomainError("unauthenticated", "This link was used already; ask for a new one.");
        }
        await updateUser(trx, user.id, { password_hash, password_changed_at: now });
        return user;
      });
    },

    async user(id: number): Promise<User> {
      const user = await findUser(db, id);
      if (!user) throw new DomainError("not_found", "This user does not exist any more.");
      return user;
    },
  };
}

export type AccountsService = ReturnType<typeof accountsService>;
