import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { isPrivateKey, type PrivateKey, type PublicKey } from "../../domain/wireguard";

export interface KeyPair {
  readonly privateKey: PrivateKey;
  readonly publicKey: PublicKey;
}

/** What comes before the 32 bytes of an x25519 private key in PKCS #8. */
const pkcs8Head = Buffer.from("302e020100300506032b656e04220420", "hex");

export function generateKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("x25519", {
    privateKeyEncoding: { type: "pkcs8", format: "der" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  return {
    privateKey: privateKey.subarray(-32).toString("base64") as PrivateKey,
    publicKey: publicKey.subarray(-32).toString("base64") as PublicKey,
  };
}

/** The same as `wg pubkey`. */
export function publicKeyOf(privateKey: PrivateKey): PublicKey {
  const der = Buffer.concat([pkcs8Head, Buffer.from(privateKey, "base64")]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return spki.subarray(-32).toString("base64") as PublicKey;
}

/** A hub's key pair from configuration. Throws, without the value, when it is not a key. */
export function readHubKey(name: string, value: string | undefined): KeyPair {
  if (!value) throw new Error(`${name} is not set: the hub has no key for this plane.`);
  if (!isPrivateKey(value)) {
    const bytes = Buffer.from(value, "base64").length;
    throw new Error(`${name} is not a WireGuard key: 32 bytes in base64 are needed, it has ${bytes}.`);
  }
  return { privateKey: value, publicKey: publicKeyOf(value) };
}
