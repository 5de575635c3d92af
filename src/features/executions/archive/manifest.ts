import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";

export const MANIFEST = "manifest.json";
/** Base64 of the Ed25519 signature of the manifest's bytes. */
export const SIGNATURE = "manifest.json.sig";

export const Manifest = z.object({
  format: z.literal("fleet-archive/1"),
  execution_id: z.int(),
  created_at: z.string(),
  /** Fingerprint of the signing key; see `fingerprintOf`. */
  key_fingerprint: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      /** Bytes. */
      size: z.int(),
      sha256: z.string(),
      asset_id: z.int().optional(),
      /** In archives of releases up to 0.2: the SHA-256 at the completion of the upload, where the file differs. */
      received_sha256: z.string().optional(),
    }),
  ),
  /** Assets of the execution that are not in the archive, and why. */
  missing: z.array(z.object({ asset_id: z.int(), file_name: z.string(), reason: z.string() })),
});
export type Manifest = z.output<typeof Manifest>;

export const signManifest = (manifest: Buffer, key: KeyObject): string =>
  sign(null, manifest, key).toString("base64");

export const manifestIsSigned = (manifest: Buffer, signature: string, publicKey: KeyObject): boolean =>
  verify(null, manifest, publicKey, Buffer.from(signature, "base64"));

/** SHA-256 of the public key's DER form, in hex. */
export const fingerprintOf = (key: KeyObject): string =>
  createHash("sha256")
    .update(publicPart(key).export({ type: "spki", format: "der" }))
    .digest("hex");

/** PEM. */
export const publicKeyOf = (key: KeyObject): string =>
  publicPart(key).export({ type: "spki", format: "pem" }).toString();

const publicPart = (key: KeyObject): KeyObject => (key.type === "private" ? createPublicKey(key) : key);
