import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../config";
import { clientOptions, type ObjectStoreSettings } from "./client";

type StsSettings = ObjectStoreSettings & Pick<GatewayConfig, "STS_ENDPOINT" | "STS_ROLE_ARN">;

export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Twelve digits; empty where the service has no accounts, as MinIO. */
  readonly accountId: string;
  readonly region: string;
}

/** An IAM policy document. What a session may do is what both its role and this allow. */
export interface SessionPolicy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly object[];
}

const LIMIT_MS = 6_000;
/** MinIO requires a role and ignores it. */
const ANY_ROLE = "arn:minio:iam:::role/fleet-drone";

/** Temporary credentials from AWS's STS, or a compatible service. */
export class Sts {
  private readonly client: STSClient | undefined;

  constructor(private readonly settings: StsSettings) {
    const { STS_ENDPOINT, STS_ROLE_ARN } = settings;
    if (!STS_ENDPOINT && !STS_ROLE_ARN) return;
    this.client = new STSClient({
      ...clientOptions(settings, STS_ENDPOINT),
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 3_000 },
    });
  }

  /** `arn:aws`, or that of another partition. */
  get partition(): string {
    return (
      this.settings.STS_ROLE_ARN?.split(":").slice(0, 2).join(":").replace("arn:minio", "arn:aws") ??
      "arn:aws"
    );
  }

  /** Rejects with `unavailable` when none can be had. */
  async assume(sessionName: string, policy: SessionPolicy, seconds: number): Promise<TemporaryCredentials> {
    if (!this.client) {
      throw new DomainError(
        "unavailable",
        "This service issues no credentials; an operator sets STS_ROLE_ARN or STS_ENDPOINT.",
      );
    }
    const command = new AssumeRoleCommand({
      RoleArn: this.settings.STS_ROLE_ARN ?? ANY_ROLE,
      RoleSessionName: sessionName,
      Policy: JSON.stringify(policy),
      DurationSeconds: seconds,
    });
    try {
      const limit = AbortSignal.timeout(LIMIT_MS);
      const { Credentials, AssumedRoleUser } = await this.client.send(command, { abortSignal: limit });
      const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
      if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw new Error("STS sent no credentials.");
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: SessionToken,
        accountId: accountOf(AssumedRoleUser?.Arn) ?? accountOf(this.settings.STS_ROLE_ARN) ?? "",
        region: this.settings.S3_REGION,
      };
    } catch (error) {
      throw new DomainError("unavailable", "No credentials can be had just now; try again shortly.", {
        cause: redactedError("STS", error),
      });
    }
  }

  close(): void {
    this.client?.destroy();
  }
}

const accountOf = (arn: string | undefined): string | undefined =>
  /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(arn ?? "")?.[1];

/** An error for the log. The SDK's own may carry the reply, which may hold a secret: only name and message are kept. */
export function redactedError(service: string, error: unknown): Error {
  const { name, message } = error as Error;
  return new Error(`${service}: ${name}: ${message}`);
}
