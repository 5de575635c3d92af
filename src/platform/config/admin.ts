import { z } from "zod";
import { edgeGroup } from "./hub-servers";
import { databaseGroup, mailGroup, objectsGroup } from "./shared";

export const adminConfig = z.object({
  DATABASE_URL: databaseGroup.DATABASE_URL,
  PUBLIC_ORIGIN: mailGroup.PUBLIC_ORIGIN,
});
export type AdminConfig = z.infer<typeof adminConfig>;

/** An image that Docker can pull, on one line of YAML. `$REPOSITORY` is the registry of the drone's login. */
const image = (description: string) =>
  z
    .string()
    .regex(/^[\w.$][\w.${}:?/@-]*$/, "must be an image's name")
    .optional()
    .describe(description);

export const publishComposeConfig = z.object({
  S3_ENDPOINT: objectsGroup.S3_ENDPOINT,
  S3_REGION: objectsGroup.S3_REGION,
  S3_BUCKET: objectsGroup.S3_BUCKET,
  S3_ACCESS_KEY_ID: objectsGroup.S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY: objectsGroup.S3_SECRET_ACCESS_KEY,
  EDGE_PORT: edgeGroup.EDGE_PORT,
  ONBOARD_IMAGE: image(
    "Image of the agent on board, as drones pull it; `$REPOSITORY` in it is the registry of their login. `$REPOSITORY/fleet-onboard` of this version when absent.",
  ),
  MAVLINK_ROUTER_IMAGE: image(
    "Image that has `mavlink-routerd`, as drones pull it. The agent's own when absent.",
  ),
});
export type PublishComposeConfig = z.infer<typeof publishComposeConfig>;
