import { S3Client } from "@aws-sdk/client-s3";
import type { GatewayConfig } from "../config";

// Read by the AWS SDK when a client is made: the notice is for developers, not for operators.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

export type ObjectStoreSettings = Pick<
  GatewayConfig,
  "S3_ENDPOINT" | "S3_REGION" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY"
>;

/** Options of a client of AWS, or of a service like it. Without a key the SDK's own chain finds one. */
export const clientOptions = (settings: ObjectStoreSettings, endpoint: string | undefined) => {
  const {
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return { region, ...(endpoint && { endpoint }), ...(credentials && { credentials }) };
};

/** A connection without traffic for this long fails. Our own readers may pause for about as long. */
const IDLE_TIMEOUT_MS = 30_000;

/**
 * The object store. Checksums are sent only where S3 requires them: stores other than AWS reject or
 * mis-store the SDK's chunked default.
 */
export function openObjects(
  settings: ObjectStoreSettings,
  endpoint = settings.S3_ENDPOINT,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): S3Client {
  const client = new S3Client({
    ...clientOptions(settings, endpoint),
    forcePathStyle: endpoint !== undefined,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 3_000,
      // No limit of the whole: a large part over a slow line may take long.
      socketTimeout: idleTimeoutMs,
      // For requests that name a `requestTimeout`; without this the SDK only warns.
      throwOnRequestTimeout: true,
    },
  });
  if (endpoint) trimBucketPaths(client);
  return client;
}

/**
 * Requests about a bucket itself, such as a list of objects, go to `/bucket` instead of the SDK's `/bucket/`. S3 takes
 * both; some other stores compute the signature of the first only.
 */
function trimBucketPaths(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { path: string };
      if (/^\/[^/]+\/$/.test(request.path)) request.path = request.path.slice(0, -1);
      return next(args);
    },
    { step: "build", name: "trimBucketPaths" },
  );
}
