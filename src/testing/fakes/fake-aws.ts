import type { IncomingMessage } from "node:http";
import { type FakeReply, serveFake } from "./http-server";

interface IssuedSession {
  readonly role: string;
  readonly name: string;
  readonly seconds: number;
  readonly policy: ReturnType<typeof JSON.parse>;
  readonly accessKeyId: string;
}

/**
 * FAKES of AWS's STS and ECR on one loopback server: they answer AssumeRole and GetAuthorizationToken in AWS's
 * shapes and keep what they issued. They check no credentials and enforce no policy.
 */
export class FakeAws {
  readonly account = "123456789012";
  readonly sessions: IssuedSession[] = [];
  /** Number of registry logins. */
  logins = 0;
  /** `refuse`: an error of AWS's. `garbage`: 200 and nothing that can be read. `silent`: no answer. */
  mode: "serve" | "refuse" | "garbage" | "silent" = "serve";

  private constructor(readonly url: string) {}

  static async start(): Promise<FakeAws> {
    const url = await serveFake((request, text) =>
      fake.mode === "silent" ? undefined : fake.answer(request, text),
    );
    const fake = new FakeAws(url);
    return fake;
  }

  private answer(request: IncomingMessage, text: string): FakeReply {
    const xml = "text/xml";
    const json = "application/x-amz-json-1.1";
    const isEcr = request.headers["x-amz-target"]?.toString().endsWith(".GetAuthorizationToken") ?? false;
    if (this.mode === "garbage")
      return { status: 200, type: isEcr ? json : xml, body: isEcr ? "{}" : "<html/>" };
    if (this.mode === "refuse") {
      return isEcr
        ? { status: 400, type: json, body: '{"__type":"AccessDeniedException","message":"no"}' }
        : {
            status: 403,
            type: xml,
            body: "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
          };
    }
    return isEcr
      ? { status: 200, type: json, body: this.login() }
      : { status: 200, type: xml, body: this.assume(text) };
  }

  private login(): string {
    this.logins++;
    const authorizationToken = Buffer.from(`AWS:password-${this.logins}`).toString("base64");
    const proxyEndpoint = `https://${this.account}.dkr.ecr.us-east-1.amazonaws.com`;
    return JSON.stringify({
      authorizationData: [{ authorizationToken, proxyEndpoint, expiresAt: 1_830_000_000 }],
    });
  }

  private assume(text: string): string {
    const form = new URLSearchParams(text);
    const session = {
      role: form.get("RoleArn") ?? "",
      name: form.get("RoleSessionName") ?? "",
      seconds: Number(form.get("DurationSeconds")),
      policy: JSON.parse(form.get("Policy") ?? "null"),
      accessKeyId: `ASIA${this.sessions.length + 1}`,
    };
    this.sessions.push(session);
    const expires = "2030-01-01T00:00:00Z";
    const keys = `<AccessKeyId>${session.accessKeyId}</AccessKeyId><SecretAccessKey>a secret</SecretAccessKey>`;
    return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
<Credentials>${keys}<SessionToken>a session token</SessionToken><Expiration>${expires}</Expiration></Credentials>
<AssumedRoleUser><Arn>arn:aws:sts::${this.account}:assumed-role/drone/${session.name}</Arn><AssumedRoleId>A:B</AssumedRoleId></AssumedRoleUser>
</AssumeRoleResult></AssumeRoleResponse>`;
  }
}
