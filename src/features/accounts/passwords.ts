import { argon2id, hash, verify } from "argon2";
import { DomainError } from "../../domain/errors";
import { Semaphore } from "../../platform/semaphore";

/** OWASP's argon2id setting: 19 MiB, two passes, one lane. */
const settings = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A hash holds one of libuv's four threads for some 25 ms; two threads stay free for DNS and files. */
const MAX_CONCURRENT = 2;
/** More than the failed logins that one network may have, and some two seconds of work. */
const MAX_WAITING = 128;

const hashing = new Semaphore(MAX_CONCURRENT);

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (hashing.waiting < MAX_WAITING) return hashing.run(work);
  const message = "Too many people send passwords at this moment; try again in a few seconds.";
  throw new DomainError("too_many_requests", message, { retryAfterSeconds: 5 });
}

/** Rejects with `too_many_requests` while too many wait. */
export const hashPassword = (password: string): Promise<string> => limited(() => hash(password, settings));

/** No password has this hash; an unknown user then costs as much time as a wrong password. */
const unusableHash = hash("no account has this password", settings);

/** Rejects as `hashPassword` does. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const known = passwordHash ?? (await unusableHash);
  const matches = await limited(() => verify(known, password));
  return matches && passwordHash !== null;
}
