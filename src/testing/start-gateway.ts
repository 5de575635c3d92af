import { randomUUID } from "node:crypto";
import { createUser } from "../features/accounts";
import { type Gateway, startGateway } from "../gateway";
import { gatewayConfig, loadConfig } from "../platform/config";
import { atEndOfFile } from "./clean-up";
import { ApiClient } from "./client";
import { freshDatabase } from "./fresh-database";
import { freshMail, freshRedis } from "./fresh-servers";

export const TEST_JWT_SECRET = "a secret for tests only, of enough length";

export interface TestUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly ip: string;
  readonly token: string;
  readonly api: ApiClient;
}

export interface TestGateway extends Gateway {
  /** Without a token. */
  readonly api: ApiClient;
  readonly mail: Awaited<ReturnType<typeof freshMail>>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** An active user with an address and an access token, made as `cmd/admin` makes one. */
  newUser(): Promise<TestUser>;
}

/**
 * A whole gateway for one test file: its own database, Redis and mail sink, a free port, replies checked
 * against their declared schemas. It is stopped after the file's tests. Call it in `beforeAll`; `env`
 * overrides any configuration variable.
 */
export async function startTestGateway(env: Record<string, string> = {}): Promise<TestGateway> {
  const [database, redis, mail] = await Promise.all([freshDatabase(), freshRedis(), freshMail()]);
  const config = loadConfig(gatewayConfig, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SMTP_URL: mail.url,
    JWT_SECRET: TEST_JWT_SECRET,
    GATEWAY_PORT: "0",
    GATEWAY_DRONE_PORT: "0",
    LOG_LEVEL: "silent",
    DEPLOYMENT: "local",
    SHUTDOWN_DRAIN_SECONDS: "2",
    ...env,
  });
  const gateway = await startGateway(config, { checkReplies: true });
  atEndOfFile(() => gateway.lifecycle.stop("the tests are over"));
  const api = new ApiClient(`${gateway.url}/api/v1`);
  const newUser = async (): Promise<TestUser> => {
    const username = `pilot-${randomUUID()}@example.com`;
    const password = "correct horse battery";
    const user = await createUser(gateway.deps.db, { username, password, level: "CUSTOMER", active: true });
    const token = gateway.features.account.tokens.pair(user.id).access_token;
    return { id: user.id, username, password, ip: user.ip as string, token, api: api.as(token) };
  };
  return { ...gateway, api, mail, databaseUrl: database.url, redisUrl: redis.url, newUser };
}
