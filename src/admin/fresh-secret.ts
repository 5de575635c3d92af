import { generateKeyPairSync, randomBytes } from "node:crypto";

/** A kind of secret, and a new one of it. */
export const freshSecret = {
  /** 40 characters that stand as they are in a URL, a Redis configuration and an S3 key: 240 bits. */
  password: (): string => randomBytes(30).toString("base64url"),

  /** The last 32 bytes of the PKCS #8 form are the raw x25519 key, as `wg genkey` prints it. */
  wireguard: (): string =>
    generateKeyPairSync("x25519")
      .privateKey.export({ type: "pkcs8", format: "der" })
      .subarray(-32)
      .toString("base64"),

  /** An Ed25519 key, PKCS #8 on one line. */
  signing: (): string =>
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
};
export type SecretKind = keyof typeof freshSecret;
