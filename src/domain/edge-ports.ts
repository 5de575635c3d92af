/** Port of the edge that opens Redis to a drone, for its own channels only: the one after EDGE_PORT (8088). */
export const redisPort = (edgePort: number): number => edgePort + 1;
/** Port of the edge that forwards presigned requests to the object store; S3_DRONE_ENDPOINT names it. */
export const objectsPort = (edgePort: number): number => edgePort + 2;
