import { ECRClient, GetAuthorizationTokenCommand } from "@aws-sdk/client-ecr";
import { DomainError } from "../domain/errors";
import { redactedError } from "./objects/sts";

interface ImageRegistrySettings {
  readonly REGISTRY_PROVIDER: "ecr" | "static";
  readonly REGISTRY_URL?: string | undefined;
  readonly REGISTRY_USERNAME?: string | undefined;
  readonly REGISTRY_PASSWORD?: string | undefined;
  readonly S3_REGION: string;
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_ACCESS_KEY_ID?: string | undefined;
  readonly S3_SECRET_ACCESS_KEY?: string | undefined;
}

/** Input of `docker login`. Name and password are empty for a registry that needs no login. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** Host, and path where there is one, before an image's name. */
  readonly repository: string;
}

export interface ImageRegistry {
  /** Rejects with `unavailable` when there is none. */
  login(): Promise<RegistryLogin>;
  close(): void;
}

const LIMIT_MS = 6_000;

/** The registry of drones' images. */
export const imageRegistry = (settings: ImageRegistrySettings): ImageRegistry =>
  settings.REGISTRY_PROVIDER === "ecr" ? elasticRegistry(settings) : staticRegistry(settings);

function staticRegistry(settings: ImageRegistrySettings): ImageRegistry {
  const { REGISTRY_URL: repository, REGISTRY_USERNAME, REGISTRY_PASSWORD } = settings;
  return {
    login: async () => {
      if (!repository) {
        throw new DomainError(
          "unavailable",
          "No image registry is configured; an operator sets REGISTRY_URL.",
        );
      }
      return { username: REGISTRY_USERNAME ?? "", password: REGISTRY_PASSWORD ?? "", repository };
    },
    close: () => {},
  };
}

/**
 * ECR's login has our own identity and lasts 12 hours: the object store's credentials when that is AWS's, else those that
 * the SDK's own chain finds.
 */
function elasticRegistry(settings: ImageRegistrySettings): ImageRegistry {
  const { REGISTRY_URL, S3_REGION, S3_ENDPOINT } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const isAws = S3_ENDPOINT === undefined;
  const client = new ECRClient({
    region: S3_REGION,
    ...(isAws && accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 3_000 },
  });
  return {
    login: async () => {
      try {
        const limit = AbortSignal.timeout(LIMIT_MS);
        const { authorizationData } = await client.send(new GetAuthorizationTokenCommand({}), {
          abortSignal: limit,
        });
        const [{ authorizationToken = "", proxyEndpoint = "" } = {}] = authorizationData ?? [];
        const [, username, password] =
          /^([^:]+):(.+)$/s.exec(Buffer.from(authorizationToken, "base64").toString("utf8")) ?? [];
        if (!username || !password) throw new Error("it sent no login");
        return {
          username,
          password,
          repository: REGISTRY_URL ?? proxyEndpoint.replace(/^https?:\/\//, "").replace(/\/$/, ""),
        };
      } catch (error) {
        throw new DomainError(
          "unavailable",
          "The image registry gives no login just now; try again shortly.",
          {
            cause: redactedError("ECR", error),
          },
        );
      }
    },
    close: () => client.destroy(),
  };
}
