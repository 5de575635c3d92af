import { ECRClient, GetAuthorizationTokenCommand } from "@aws-sdk/client-ecr";
import { DomainError } from "../domain/errors";
import type { GatewayConfig } from "./config";
import { clientOptions, type ObjectStoreSettings } from "./objects/client";
import { redactedError } from "./objects/sts";

type ImageRegistrySettings = ObjectStoreSettings &
  Pick<GatewayConfig, "REGISTRY_PROVIDER" | "REGISTRY_URL" | "REGISTRY_USERNAME" | "REGISTRY_PASSWORD">;

/** Input of `docker login`. Name and password are empty for a registry that needs no login. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** Host, and path where there is one, before an image's name. */
  readonly repository: string;
}

const LIMIT_MS = 6_000;

/** A login at the registry of drones' images. Rejects with `unavailable` when there is none. */
export async function registryLogin(settings: ImageRegistrySettings): Promise<RegistryLogin> {
  const { REGISTRY_PROVIDER, REGISTRY_URL: repository, REGISTRY_USERNAME, REGISTRY_PASSWORD } = settings;
  if (REGISTRY_PROVIDER === "static" && repository)
    return { username: REGISTRY_USERNAME ?? "", password: REGISTRY_PASSWORD ?? "", repository };
  if (REGISTRY_PROVIDER === "static")
    throw new DomainError("unavailable", "No image registry is configured; an operator sets REGISTRY_URL.");
  try {
    return await elasticLogin(settings);
  } catch (error) {
    throw new DomainError("unavailable", "The image registry gives no login just now; try again shortly.", {
      cause: redactedError("ECR", error),
    });
  }
}

/**
 * ECR's login has our own identity and lasts 12 hours: the object store's credentials when that is AWS's, else those that
 * the SDK's own chain finds.
 */
async function elasticLogin(settings: ImageRegistrySettings): Promise<RegistryLogin> {
  const { REGISTRY_URL, S3_REGION, S3_ENDPOINT } = settings;
  const client = new ECRClient({
    ...clientOptions(S3_ENDPOINT === undefined ? settings : { S3_REGION }, undefined),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 3_000 },
  });
  const command = new GetAuthorizationTokenCommand({});
  const { authorizationData } = await client
    .send(command, { abortSignal: AbortSignal.timeout(LIMIT_MS) })
    .finally(() => client.destroy());
  const [{ authorizationToken = "", proxyEndpoint = "" } = {}] = authorizationData ?? [];
  const [, username, password] =
    /^([^:]+):(.+)$/s.exec(Buffer.from(authorizationToken, "base64").toString("utf8")) ?? [];
  if (!username || !password) throw new Error("it sent no login");
  const repository = REGISTRY_URL ?? proxyEndpoint.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return { username, password, repository };
}
