import { createPrivateKey, type KeyObject } from "node:crypto";

/** An Ed25519 private key, as PEM or as the base64 of its PKCS #8 form, which fits one line. Undefined otherwise. */
export function parseSigningKey(text: string): KeyObject | undefined {
  try {
    const key = text.includes("-----BEGIN")
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined;
  }
}
