import { type Gateway, startGateway } from "../gateway";
import { gatewayConfig, loadConfig } from "../platform/config";
import { freshDatabase } from "./fresh-database";
import { freshMail } from "./fresh-mail";
import { freshRedis } from "./fresh-redis";

export const TEST_JWT_SECRET = "a secret for tests only, of enough length";

export interface TestGateway extends Gateway {
  /** `{url}/api/v1`. */
  readonly api: string;
  readonly mail: Awaited<ReturnType<typeof freshMail>>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/**
 * A whole gateway for one test file: its own database, Redis and mail sink, a free port, replies checked
 * against their declared schemas. It is stopped after the file's tests. Call it at the top of `describe`
 * or in `beforeAll`; `env` overrides any configuration variable.
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
  afterAll(() => gateway.lifecycle.stop("the tests are over"));
  return { ...gateway, api: `${gateway.url}/api/v1`, mail, databaseUrl: database.url, redisUrl: redis.url };
}
