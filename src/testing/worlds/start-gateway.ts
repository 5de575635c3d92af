import { randomUUID } from "node:crypto";
import { createUser, hashPassword, type Level } from "../../features/accounts";
import { type Gateway, startGateway } from "../../gateway";
import { gatewayConfig, loadConfig } from "../../platform/config";
import type { LogDestination } from "../../platform/process/log";
import { atEndOfFile } from "../clean-up";
import { ApiClient } from "../client";
import { freshDatabase } from "../fresh-database";
import { freshMail, freshObjects, freshRedis } from "../fresh-servers";

/** Signs archives; an Ed25519 key for tests only. */
export const TEST_ARCHIVE_KEY = "MC4CAQAwBQYDK2VwBCIEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";

export const TEST_JWT_SECRET = "a secret for tests only, of enough length";

export interface TestUser {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly ip: string;
  readonly token: string;
  readonly api: ApiClient;
}

type InactiveUser = Pick<TestUser, "id" | "username" | "password"> & {
  readonly activation_token: string;
};

export interface TestGateway extends Gateway {
  /** Without a token. */
  readonly api: ApiClient;
  readonly mail: Awaited<ReturnType<typeof freshMail>>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** An active user with an address and an access token, made as `cmd/admin` makes one. */
  newUser(): Promise<TestUser>;
  /** A user who has yet to be activated. */
  newInactiveUser(level: Level | null): Promise<InactiveUser>;
}

const PASSWORD = "correct horse battery";
/** Made once in a file: a hash for each of its users would be most of what the tests compute. */
let passwordHash: Promise<string> | undefined;

/**
 * A whole gateway for one test file: a database, Redis, object store and mail sink of its own unless `env` names
 * others, a free port, replies checked against their declared schemas. It is stopped after the file's tests. Call it
 * in `beforeAll`; `env` overrides any configuration variable.
 */
export async function startTestGateway(
  env: Record<string, string> = {},
  logTo?: LogDestination,
  mailDelayMs?: number,
): Promise<TestGateway> {
  const [database, redis, mail, objects] = await Promise.all([
    env.DATABASE_URL ? { url: env.DATABASE_URL } : freshDatabase(),
    env.REDIS_URL ? { url: env.REDIS_URL } : freshRedis(),
    freshMail(mailDelayMs),
    env.S3_ENDPOINT ? undefined : freshObjects("fleet", "fleet-vpn"),
  ]);
  const config = loadConfig(gatewayConfig, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SMTP_URL: mail.url,
    ...(objects && {
      S3_ENDPOINT: objects.url,
      S3_ACCESS_KEY_ID: objects.accessKeyId,
      S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    }),
    ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY,
    // A test of background jobs sets this to true.
    WORKER_IN_PROCESS: "false",
    // A test of the console sets this to on: without its build, the start would warn.
    CONSOLE: "off",
    // A test of records sets this to on.
    FLIGHT_RECORDER: "off",
    JWT_SECRET: TEST_JWT_SECRET,
    GATEWAY_PORT: "0",
    GATEWAY_DRONE_PORT: "0",
    LOG_LEVEL: "silent",
    DEPLOYMENT: "local",
    SHUTDOWN_DRAIN_SECONDS: "2",
    ...env,
  });
  const gateway = await startGateway(config, { checkReplies: true, logTo });
  atEndOfFile(() => gateway.lifecycle.stop("the tests are over"));
  const api = new ApiClient(`${gateway.url}/api/v1`);
  const create = async (level: Level | null, active: boolean) => {
    const username = `pilot-${randomUUID()}@example.com`;
    passwordHash ??= hashPassword(PASSWORD);
    const password_hash = await passwordHash;
    const row = await createUser(gateway.deps.db, { username, password_hash, level, active });
    return { username, password: PASSWORD, row };
  };
  const newUser = async (): Promise<TestUser> => {
    const { row, ...credentials } = await create("CUSTOMER", true);
    const token = gateway.features.account.tokens.pair(row.id).access_token;
    return { ...credentials, id: row.id, ip: row.ip as string, token, api: api.as(token) };
  };
  const newInactiveUser = async (level: Level | null): Promise<InactiveUser> => {
    const { row, ...credentials } = await create(level, false);
    return { ...credentials, id: row.id, activation_token: row.activation_token as string };
  };
  return { ...gateway, api, mail, databaseUrl: database.url, redisUrl: redis.url, newUser, newInactiveUser };
}
