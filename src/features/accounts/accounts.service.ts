import { DomainError } from "../../domain/errors";
import type { Callers, UserCaller } from "../../http/route";
import { siteOf } from "../../http/server/network-of";
import { type Mail, mailFailure } from "../../platform/mail";
import type { RateLimit } from "../../platform/redis/rate-limit";
import type { Services } from "../../platform/services";
import { createUser } from "./create-user";
import type { HashCaller } from "./hash-queue";
import type { LoginLimits } from "./login-limits";
import { resetMail, verificationMail } from "./mails";
import { hashPassword, passwordMatches } from "./passwords";
import type { Revocations } from "./revocations";
import { revokeToken } from "./revoked-tokens.store";
import { accountRejection, isOfAnotherPassword } from "./token-status";
import type { TokenPair, Tokens } from "./tokens";
import {
  activateUser,
  findUser,
  findUserByName,
  lockUserByName,
  setPassword,
  type User,
} from "./users.store";

interface Deps extends Pick<Services, "db" | "clock" | "mailer" | "quotas" | "mailQuotas"> {
  readonly tokens: Tokens;
  readonly revocations: Pick<Revocations, "revoke">;
  /** Links in mails begin with it; never with a header of the request, which anyone can set. */
  readonly origin: string;
  readonly logins: LoginLimits;
  /** Failed activations, by network and account. */
  readonly failedTries: RateLimit;
}

/** Log in, register, activate, reset and update the password. */
export function accountsService(deps: Deps) {
  const { db, clock, tokens, revocations, mailer, origin, logins, failedTries, quotas, mailQuotas } = deps;
  const send = (mail: Mail, kind: "reset" | "verification", network: string) =>
    mailQuotas.counted({ to: mail.to, kind, site: siteOf(network) }, () =>
      mailer.send(mail, kind === "reset" ? "resets" : "verifications").catch((error) => {
        throw mailFailure(error);
      }),
    );

  /** A password that is set meanwhile voids the pair: it names the password of the row that was read. */
  const pairFor = ({ id, password_changed_at }: User) => tokens.pair(id, { password_changed_at });

  const checkPassword = async (username: string, password: string, caller: HashCaller) => {
    const user = await findUserByName(db, username);
    return { user, matches: await passwordMatches(password, user?.password_hash ?? null, caller) };
  };

  return {
    /** An unknown user, an inactive one and a wrong password look the same. */
    async logIn(username: string, password: string, network: string): Promise<TokenPair> {
      const attempt = await logins.begin(username.toLowerCase(), network);
      const caller = { site: siteOf(network), isKnown: attempt.isKnown };
      const { user, matches } = await checkPassword(username, password, caller).catch(
        async (error: unknown) => {
          await attempt.unchecked();
          throw error;
        },
      );
      if (!user?.is_active || !matches) {
        throw new DomainError("invalid_credentials", "The username or the password is wrong.");
      }
      await attempt.succeeded();
      return pairFor(user);
    },

    async refresh(caller: UserCaller): Promise<TokenPair> {
      const user = await findUser(db, caller.id);
      const why = accountRejection(caller, user);
      if (why) throw new DomainError("unauthenticated", why);
      return pairFor(user as User);
    },

    logOut: (caller: UserCaller): Promise<void> => revocations.revoke(caller),

    async sendVerification(email: string, network: string): Promise<void> {
      if (await findUserByName(db, email)) {
        throw new DomainError("user_exists", "A user with this email exists already.");
      }
      await send(verificationMail(email, origin, tokens.verification(email)), "verification", network);
    },

    async register(token: string, password: string, network: string): Promise<User> {
      const username = tokens.verifiedEmail(token);
      if (!username)
        throw new DomainError("unauthenticated", "This link is not valid any more; ask for a new one.");
      const site = siteOf(network);
      await quotas.take("registrations", site);
      const password_hash = await hashPassword(password, { site, isKnown: true });
      return createUser(db, { username, password_hash, level: "CUSTOMER", active: true });
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

    async sendReset(email: string, network: string): Promise<void> {
      const user = await findUserByName(db, email);
      if (!user) throw new DomainError("no_such_user", "No user has this email.");
      const mail = resetMail(user.username, origin, tokens.reset(user.username, user));
      await send(mail, "reset", network);
    },

    /**
     * A reset token works once, and only on the password that it was issued on. Its use is stored with the new password
     * in one transaction: after a failure the link still works. A log-in's token names no email, so it finds no user.
     */
    async updatePassword(reset: Callers["reset"], password: string, network: string): Promise<User> {
      // Before the hash, which costs more than all else.
      const known = userOfLink(reset, await findUserByName(db, reset.identity));
      const password_hash = await hashPassword(password, { site: siteOf(network), isKnown: true });
      return db.transaction(async (trx) => {
        const user = userOfLink(reset, await lockUserByName(trx, known.username));
        const now = clock.now();
        if (!(await revokeToken(trx, { ...reset, userId: user.id }, now))) throw linkUsed();
        await setPassword(trx, user.id, { password_hash, password_changed_at: now });
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

const linkUsed = () => new DomainError("unauthenticated", "This link was used already; ask for a new one.");

/** The user whose link it is. Throws when there is none, or the password was set after the link was issued. */
function userOfLink(reset: Callers["reset"], user: User | undefined): User {
  if (!user) throw new DomainError("password_not_updated", "Unable to update password");
  if (isOfAnotherPassword(reset, user)) throw linkUsed();
  return user;
}

export type AccountsService = ReturnType<typeof accountsService>;
