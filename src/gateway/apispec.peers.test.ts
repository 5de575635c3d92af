import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageRoot } from "../platform/process/version";
import { atEndOfFile } from "../testing/clean-up";
import { startTestGateway } from "../testing/worlds/start-gateway";

/** It ends its own token, and all that comes after would be refused. */
const SPARED = ["/api/v1/logout"];
const CHECKS = [
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "foreseen",
];

/** Schemathesis reads the description and asks every route for what fits it and for what does not. */
test("every route answers any request as /apispec.json describes, without an internal error", async () => {
  const interpreter = process.env.PEERS_PYTHON;
  if (!interpreter) throw new Error("Run these tests by `npm run test:peers`");
  const gateway = await startTestGateway({
    LINK_CONNECT_TIMEOUT_MS: "200",
    LOGIN_FAILURES_PER_15_MINUTES: "0",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "0",
    ...{ QUOTA_REQUESTED_MAILS: "0", QUOTA_NETWORK_MAILS: "0", QUOTA_REGISTRATIONS: "0" },
  });
  const { api, token } = await gateway.newUser();
  // Ids begin at 1, and small ones are asked for often: these answer.
  const drone = await api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" });
  await api.post("/mission", { name: "Round" });
  await api.post("/geofence", { name: "Field", type: "polygon" });
  const when = { scheduled_time: "2030-01-01T08:00:00Z", recurrence_rule: "FREQ=DAILY;COUNT=5" };
  await api.post("/calendar/events", { title: "Round", drone_id: 1, mission_id: 1, ...when });
  const args = [
    ...["run", `${gateway.url}/api/v1/apispec.json`, "--seed", "1", "--generation-deterministic"],
    ...["--phases", "examples,coverage,fuzzing", "--max-examples", "10"],
    ...["--checks", CHECKS.join(","), "--continue-on-failure", "--no-color", "--warnings", "off"],
    ...["-H", `Authorization: Bearer ${token}`, "-H", `X-Drone-IP: ${drone.body.ip}`],
    ...SPARED.flatMap((path) => ["--exclude-path", path]),
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: "checks", PYTHONPATH: join(packageRoot, ".ci/peers") };
  // It leaves a folder of its own where it runs.
  const cwd = mkdtempSync(join(tmpdir(), "schemathesis-"));
  atEndOfFile(async () => rmSync(cwd, { recursive: true }));
  const said = await new Promise<string>((resolve, reject) => {
    const program = join(dirname(interpreter), "schemathesis");
    execFile(program, args, { env, cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}\n${stderr}`)) : resolve(stdout),
    );
  });
  expect(said).toMatch(/\d+ passed/);
}, 420_000);
