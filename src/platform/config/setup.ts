import { z } from "zod";
import { secretUrl } from "./fields";
import { areBucketsApart, BUCKETS_FAULT, directDatabaseGroup, objectsGroup, setupGroup } from "./shared";

/** Settings of the installation's own servers, applied once a release. */

export const tunnelRoleConfig = z.object({
  ...directDatabaseGroup,
  TUNNEL_DATABASE_URL: secretUrl(
    "Postgres URL of the tunnel. The command creates the role that its user and password name.",
  ),
});

export const createBucketsConfig = z
  .object({
    S3_ENDPOINT: objectsGroup.S3_ENDPOINT,
    S3_REGION: objectsGroup.S3_REGION,
    S3_BUCKET: objectsGroup.S3_BUCKET,
    S3_VPN_BUCKET: objectsGroup.S3_VPN_BUCKET,
    S3_ACCESS_KEY_ID: objectsGroup.S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: objectsGroup.S3_SECRET_ACCESS_KEY,
    SETUP_WAIT_SECONDS: setupGroup.SETUP_WAIT_SECONDS,
  })
  .refine(areBucketsApart, BUCKETS_FAULT);

/** `{"fleet-keys": {"JWT_SECRET": "password"}}`: each Secret's keys, and of what kind each is. */
const secretKinds = z.record(
  z.string(),
  z.record(z.string().regex(/^[-._a-zA-Z0-9]+$/), z.enum(["password", "wireguard", "signing"])),
);

export const makeSecretsConfig = z.object({
  GENERATED_SECRETS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(secretKinds)
    .describe(
      "Keys of Secrets, as JSON: Secret → key → `password`, `wireguard` (a private key) or `signing` (an Ed25519 key).",
    ),
  SECRETS_NAMESPACE: z.string().min(1).describe("Namespace of those Secrets."),
});
