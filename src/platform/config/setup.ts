import { z } from "zod";
import { secretUrl } from "./fields";
import { differentBuckets, directDatabaseGroup, objectsGroup, processGroup, storeGroup } from "./shared";

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
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
  })
  .refine(...differentBuckets);
