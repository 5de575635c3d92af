import { z } from "zod";
import { edgeGroup } from "./hub-servers";
import { databaseGroup, mailGroup, objectsGroup, storeGroup } from "./shared";

export const adminConfig = z.object({
  DATABASE_URL: databaseGroup.DATABASE_URL,
  PUBLIC_ORIGIN: mailGroup.PUBLIC_ORIGIN,
});

/** An image that Docker can pull, on one line of YAML. `$REPOSITORY` is the registry of the drone's login. */
const image = (description: string) =>
  z
    .string()
    .regex(/^[\w.$][\w.${}:?/@-]*$/, "must be an image's name")
    .optional()
    .describe(description);

export const publishComposeConfig = z.object({
  ...storeGroup,
  S3_BUCKET: objectsGroup.S3_BUCKET,
  EDGE_PORT: edgeGroup.EDGE_PORT,
  ONBOARD_IMAGE: image(
    "Image of the agent on board, as drones pull it; `$REPOSITORY` in it is the registry of their login. `$REPOSITORY/fleet-onboard` of this version when absent.",
  ),
  MAVLINK_ROUTER_IMAGE: image(
    "Image that has `mavlink-routerd`, as drones pull it. The agent's own when absent.",
  ),
});
export type PublishComposeConfig = z.infer<typeof publishComposeConfig>;
