import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../config";
import { clientOptions, type ObjectStoreSettings } from "./client";

type StsSettings = ObjectStoreSettings & Pick<GatewayConfig, "STS_ENDPOINT" | "STS_ROLE_ARN">;

/** An IAM policy document. A session may do only what both its role and this document allow. */
export interface SessionPolicy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly object[];
}

const LIMIT_MS = 6_000;
/** MinIO requires a role and ignores it. */
const ANY_ROLE = "arn:minio:iam:::role/fleet-drone";

/** Temporary credentials from AWS's STS, or a compatible service. */
export class Sts {
  constructor(private readonly settings: StsSettings) {}

  /** `arn:aws`, or that of another partition. */
  get partition(): string {
    return (
      this.settings.STS_ROLE_ARN?.split(":").slice(0, 2).join(":").replace("arn:minio", "arn:aws") ??
      "arn:aws"
    );
  }

  /** Rejects with `unavailable` when STS gives no credentials. */
  async assume(sessionName: string, policy: SessionPolicy, seconds: number) {
    const { STS_ENDPOINT, STS_ROLE_ARN, S3_REGION } = this.settings;
    if (!STS_ENDPOINT && !STS_ROLE_ARN) {
      throw new DomainError(
        "unavailable",
        "This service issues no credentials; an operator sets STS_ROLE_ARN or STS_ENDPOINT.",
      );
    }
    const client = new STSClient({
      ...clientOptions(this.settings, STS_ENDPOINT),
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 3_000 },
    });
    const command = new AssumeRoleCommand({
      RoleArn: STS_ROLE_ARN ?? ANY_ROLE,
      RoleSessionName: sessionName,
      Policy: JSON.stringify(policy),
      DurationSeconds: seconds,
    });
    try {
      const limit = AbortSignal.timeout(LIMIT_MS);
      const { Credentials, AssumedRoleUser } = await client.send(command, { abortSignal: limit });
      const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
      if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw new Error("STS sent no credentials.");
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: SessionToken,
        /** Twelve digits; empty where the service has no accounts, as MinIO. */
        accountId: accountOf(AssumedRoleUser?.Arn) ?? accountOf(STS_ROLE_ARN) ?? "",
        region: S3_REGION,
      };
    } catch (error) {
      throw new DomainError("unavailable", "No credentials can be had just now; try again shortly.", {
        cause: redactedError("STS", error),
      });
    } finally {
      client.destroy();
    }
  }
}

export type TemporaryCredentials = Awaited<ReturnType<Sts["assume"]>>;

const accountOf = (arn: string | undefined): string | undefined =>
  /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(arn ?? "")?.[1];

/** An error for the log. The SDK's own may carry the reply, which may hold a secret: only name and message are kept. */
export function redactedError(service: string, error: unknown): Error {
  const { name, message } = error as Error;
  return new Error(`${service}: ${name}: ${message}`);
}
