import { argon2id, hash, verify } from "argon2";
import { DomainError } from "../../domain/errors";
import { FairQueue } from "../../platform/fair-queue";

/** OWASP's argon2id setting: 19 MiB, two passes, one lane. */
const settings = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * A hash holds one of the four threads in which Node also looks names up and reads files: two are left for those. It
 * takes some 25 ms, so that who waits does so for a second or two.
 */
const hashing = new FairQueue({
  atOnce: 2,
  mostWaiting: 64,
  refusal: () =>
    new DomainError(
      "too_many_requests",
      "Too many people send passwords at this moment; try again in a few seconds.",
      { retryAfterSeconds: 5 },
    ),
});

/** Who sent a password. Those of one network wait behind each other. */
export interface Sender {
  /** See `networkOf`. */
  readonly network: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly hungUp?: AbortSignal;
}

const ourselves: Sender = { network: "ourselves" };

/** Rejects with `too_many_requests` while too many wait, and when the sender hung up before it was his turn. */
export const hashPassword = (password: string, { network, hungUp } = ourselves): Promise<string> =>
  hashing.run(network, () => hash(password, settings), hungUp);

/** A hash that no password has, so that an unknown user costs as much time as a wrong password. */
const nobody = hash("no account has this password", settings);

/** Rejects as `hashPassword` does. */
export async function passwordMatches(
  password: string,
  passwordHash: string | null,
  { network, hungUp }: Sender,
): Promise<boolean> {
  const known = passwordHash ?? (await nobody);
  const matches = await hashing.run(network, () => verify(known, password), hungUp);
  return matches && passwordHash !== null;
}
