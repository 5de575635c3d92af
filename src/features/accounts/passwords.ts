import { argon2id, hash, verify } from "argon2";

/** OWASP's argon2id setting: 19 MiB, two passes, one lane. */
const settings = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password, settings);

/** A hash that no password has, so that an unknown user costs as much time as a wrong password. */
const nobody = hashPassword("no account has this password");

export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password);
  return matches && passwordHash !== null;
}
