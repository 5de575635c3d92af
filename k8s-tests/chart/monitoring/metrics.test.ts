import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startWorker } from "../../../src/gateway/worker/index";
import { loadConfig, workerConfig } from "../../../src/platform/config";
import { createMetrics } from "../../../src/platform/process/metrics";
import { atEndOfFile, freshDatabase, freshMail, freshObjects, freshRedis } from "../../../src/testing";
import { REPLICA_ENV } from "../../../src/testing/worlds/replicas";
import { startTestGateway } from "../../../src/testing/worlds/start-gateway";
import { startTestRelay } from "../../../src/testing/worlds/start-relay";
import { tunnelWorld } from "../../../src/testing/worlds/start-tunnel";
import { hubMetrics } from "../../../src/tunnel/ha/metrics";
import { SimulatedOs } from "../../../src/tunnel/os/simulated-os";
import { tool } from "../helm";
import { chartFolder } from "../values/values-schema";

/** The reply of each real service at /metrics. */
const answers = new Map<string, string>();

beforeAll(async () => {
  const world = await tunnelWorld();
  const urls = {
    gateway: (await startTestGateway({ ...REPLICA_ENV, FLIGHT_RECORDER: "on" })).url,
    relay: (await startTestRelay()).url,
    worker: await workerUrl(),
    tunnel: (await world.start({ os: new SimulatedOs(), dataplane: "auto" })).url,
  };
  for (const [name, url] of Object.entries(urls)) {
    answers.set(name, await (await fetch(`${url}/metrics`)).text());
  }
  // Of a tunnel with a lease, which takes an API server.
  const registry = createMetrics("tunnel");
  hubMetrics(registry, { remainingSeconds: () => 0, transitions: () => 0 });
  answers.set("hub", await registry.metrics());
});

async function workerUrl(): Promise<string> {
  const [database, redis, objects, mail] = await Promise.all([
    freshDatabase(),
    freshRedis(),
    freshObjects("fleet"),
    freshMail(),
  ]);
  const config = loadConfig(workerConfig, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    S3_ENDPOINT: objects.url,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    SMTP_URL: mail.url,
    WORKER_PORT: "0",
    LOG_LEVEL: "silent",
  });
  const worker = await startWorker(config);
  atEndOfFile(() => worker.lifecycle.stop("the tests are over"));
  return worker.url;
}

test.each(["gateway", "relay", "worker", "tunnel", "hub"])(
  "promtool finds no fault with the metrics of the %s",
  async (name) => {
    const said = await new Promise<{ code: number | null; text: string }>((resolve) => {
      const child = execFile(tool("promtool"), ["check", "metrics"], (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, text: stdout + stderr }),
      );
      child.stdin?.end(answers.get(name));
    });
    // Node's own measures are prom-client's names, which promtool would have otherwise.
    const ours = said.text.split("\n").filter((line) => line.startsWith("fleet_"));
    expect(ours).toEqual([]);
    expect(said.text).not.toContain("error while linting");
  },
);

test.each(["files/alerts.yaml", "files/dashboard.json"])(
  "%s uses only metrics that a service has",
  (file) => {
    const known = new Set([...answers.values()].join("\n").match(/(?<=^# TYPE )\w+/gm));
    const asked = new Set(
      readFileSync(join(chartFolder, file), "utf8").match(/\b(fleet|nodejs|process)_\w+/g),
    );
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, "");
    expect(asked.size).toBeGreaterThan(5);
    expect([...asked].filter((name) => !known.has(name) && !known.has(base(name)))).toEqual([]);
  },
);
