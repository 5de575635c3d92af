import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Made once per state folder. */
export interface Secrets {
  readonly jwt: string;
  readonly databasePassword: string;
  readonly userPassword: string;
  /** Ed25519, base64 of PKCS #8. */
  readonly archiveSigningKey: string;
}

/** The folder's secrets; those it lacks are made and kept in a file that only its owner can read. */
export function loadSecrets(folder: string): Secrets {
  const file = join(folder, "secrets.json");
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>) : {};
  const secrets: Secrets = {
    jwt: random(),
    databasePassword: random(),
    userPassword: random(12),
    archiveSigningKey: generateKeyPairSync("ed25519")
      .privateKey.export({ type: "pkcs8", format: "der" })
      .toString("base64"),
    ...kept,
  };
  // Renamed into place: a crash must not lose the password of an existing database.
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return secrets;
}

const random = (bytes = 32) => randomBytes(bytes).toString("base64url");
