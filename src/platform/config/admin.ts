import { z } from "zod";
import { edgeGroup } from "./hub-servers";
import { databaseGroup, jobsGroup, mailGroup, objectsGroup, storeGroup } from "./shared";

export const adminConfig = z.object({
  DATABASE_URL: databaseGroup.DATABASE_URL,
  PUBLIC_ORIGIN: mailGroup.PUBLIC_ORIGIN,
});

export const publishComposeConfig = z.object({
  ...storeGroup,
  S3_BUCKET: objectsGroup.S3_BUCKET,
  EDGE_PORT: edgeGroup.EDGE_PORT,
});
export type PublishComposeConfig = z.infer<typeof publishComposeConfig>;

export const verifyArchiveConfig = z.object({ ARCHIVE_SIGNING_KEY: jobsGroup.ARCHIVE_SIGNING_KEY });
