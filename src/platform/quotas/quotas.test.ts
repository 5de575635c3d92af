import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshRedis, redisClient } from "../../testing/fresh-servers";
import { gatewayConfig, loadConfig, quotaLimits } from "../config";
import { createMetrics } from "../process/metrics";
import { packageRoot } from "../process/version";
import { Quotas } from "./quotas";
import { quotaNames, quotaOf } from "./table";

const REQUIRED = {
  ...{
    DATABASE_URL: "postgres://localhost/fleet",
    REDIS_URL: "redis://localhost",
    SMTP_URL: "smtp://localhost",
  },
  JWT_SECRET: "0123456789abcdef0123456789abcdef",
};

async function quotasOf(env: Record<string, string>) {
  const redis = await redisClient((await freshRedis()).url);
  const registry = createMetrics("test");
  const limits = quotaLimits(loadConfig(gatewayConfig, { ...REQUIRED, ...env }));
  return { quotas: new Quotas(limits, { redis, registry }), registry, redis };
}

test("a rate refuses the use beyond its limit by name, says when to try again, and is counted", async () => {
  const { quotas, registry } = await quotasOf({ QUOTA_ORDERS: "2" });
  await quotas.take("orders", 7);
  await quotas.take("orders", 7);
  const refusal = await quotas.take("orders", 7).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "too_many_requests",
    message: expect.stringMatching(/quota orders .*2 per drone.*Try again in \d+ s/),
    retryAfterSeconds: expect.any(Number),
  });
  await quotas.take("orders", 8);
  expect(await quotas.used("orders", 7)).toBe(2);
  expect(await registry.metrics()).toMatch(/fleet_quota_refusals_total\{quota="orders",process="test"\} 1/);
});

test("orders are taken from Redis ten at a time", async () => {
  const { quotas, redis } = await quotasOf({});
  for (let n = 0; n < 20; n++) await quotas.take("orders", 7);
  expect(await redis.info("commandstats")).toMatch(/cmdstat_incrby:calls=2,/);
  await quotas.take("orders", 7);
  expect(await quotas.used("orders", 7)).toBe(21);
});

test("a use that is given back counts no more", async () => {
  const { quotas } = await quotasOf({ QUOTA_MAILS: "1" });
  await quotas.take("mails", 7);
  await expect(quotas.check("mails", 7)).rejects.toMatchObject({ code: "too_many_requests" });
  await quotas.giveBack("mails", 7);
  await quotas.take("mails", 7);
});

test("an amount up to its limit passes, one beyond it is refused with advice", async () => {
  const { quotas } = await quotasOf({ QUOTA_PENDING_ASSETS: "3" });
  expect(() => quotas.checkAmount("pending_assets", 3)).not.toThrow();
  expect(() => quotas.checkAmount("pending_assets", 4)).toThrow(/quota pending_assets .*Complete or delete/);
});

test("0 turns a quota off", async () => {
  const { quotas } = await quotasOf({ QUOTA_ORDERS: "0", QUOTA_STORED_BYTES: "0" });
  for (let n = 0; n < 1_000; n++) await quotas.take("orders", 7);
  expect(() => quotas.checkAmount("stored_bytes", Number.MAX_SAFE_INTEGER)).not.toThrow();
});

test("docs/security.md tables every quota with its default", () => {
  const windows: Readonly<Record<number, string>> = { 60: "a minute", 3600: "an hour", 86400: "a day" };
  const rows = quotaNames.map((name) => {
    const { per, limit, seconds } = quotaOf(name);
    return `| \`${name}\` | ${per} | ${seconds ? windows[seconds] : ""} | ${limit.toLocaleString("en-US")} |`;
  });
  const page = readFileSync(join(packageRoot, "docs/security.md"), "utf8");
  expect(
    page.split("\n").filter((line) => /^\| `[a-z_]+` \| \w+ \| [a-z ]*\| [\d,]+ \|$/.test(line)),
  ).toEqual(rows);
});
