import { argon2id, hash, verify } from "argon2";
import { type HashCaller, HashQueue } from "./hash-queue";

/** OWASP's argon2id setting: 19 MiB, two passes, one lane. */
const settings = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A hash takes 25 ms of a core. Two at a time would take the whole CPU of a small node. */
const hashing = new HashQueue();

/** A command of an operator. */
const OPERATOR: HashCaller = { site: "", isKnown: true };

/** Rejects with `too_many_requests` while too many wait. */
export const hashPassword = (password: string, caller = OPERATOR): Promise<string> =>
  hashing.run(caller, () => hash(password, settings));

/** No password has this hash; an unknown user then costs as much time as a wrong password. */
const unusableHash = hash("no account has this password", settings);

/** Rejects as `hashPassword` does. */
export async function passwordMatches(
  password: string,
  passwordHash: string | null,
  caller: HashCaller,
): Promise<boolean> {
  const known = passwordHash ?? (await unusableHash);
  const matches = await hashing.run(caller, () => verify(known, password));
  return matches && passwordHash !== null;
}
