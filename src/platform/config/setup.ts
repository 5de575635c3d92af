import { z } from "zod";
import { seconds, secretUrl } from "./fields";
import { differentBuckets, directDatabaseGroup, objectsGroup, processGroup, storeGroup } from "./shared";

/** Between the setup of a release and the servers that start beside it. */
const setupGroup = {
  SETUP_WAIT_SECONDS: seconds(
    120,
    "How long a setup command waits for the database (with `migrate --wait` for the schema) or the object store to start.",
  ),
};

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
  ...setupGroup,
});

/** Settings of the installation's own servers, applied once a release. */

export const tunnelRoleConfig = z.object({
  ...directDatabaseGroup,
  TUNNEL_DATABASE_URL: secretUrl(
    "Postgres URL of the tunnel. The command creates the role that its user and password name.",
  ),
});

export const createBucketsConfig = z
  .object({
    ...storeGroup,
    S3_BUCKET: objectsGroup.S3_BUCKET,
    S3_VPN_BUCKET: objectsGroup.S3_VPN_BUCKET,
    ...setupGroup,
  })
  .refine(...differentBuckets);

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
