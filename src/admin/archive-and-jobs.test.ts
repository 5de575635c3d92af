import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { enqueue } from "../platform/jobs/jobs";
import { freshFolder } from "../testing";
import { compiledPrograms } from "../testing/programs/programs";
import { until } from "../testing/until";
import { startTestGateway, TEST_ARCHIVE_KEY, type TestGateway } from "../testing/worlds/start-gateway";
import { droneClient, upload } from "../testing/worlds/uploads";

let gateway: TestGateway;
let programs: string;
beforeAll(async () => {
  programs = compiledPrograms();
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

/** The real entrypoint in a process of its own. */
function admin(args: string[], env: Record<string, string> = {}) {
  const { PATH = "" } = process.env;
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [join(programs, "cmd/admin.js"), ...args],
      { env: { PATH, DATABASE_URL: gateway.databaseUrl, ...env } },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    );
  });
}

test("lists a dead job with its error, and has it tried again", async () => {
  const { db } = gateway.deps;
  await enqueue(db, { task: "make-archive", payload: { execution_id: "none" }, user: null, maxAttempts: 1 });
  await until(async () => (await admin(["jobs"])).out.includes(" dead make-archive, attempt 1 of 1"));
  const { out } = await admin(["jobs"]);
  const [, id = ""] = /^(\d+) dead make-archive/m.exec(out) ?? [];
  expect(out).toMatch(/execution_id|expected number|Invalid/);
  await db.raw("UPDATE graphile_worker._private_jobs SET payload = ?", ['{"execution_id": 1}']);
  expect(await admin(["jobs", "retry", id])).toMatchObject({ code: 0, out: `job ${id} is tried again\n` });
  await until(async () => (await admin(["jobs"])).out.startsWith("No job"));
  expect(await admin(["jobs", "retry", id])).toMatchObject({ code: 1, err: expect.stringContaining(id) });
});

test("verifies a downloaded archive with the gateway's key or one's own, and names what was altered", async () => {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const { id } = (await drone.post("/executions/start", {})).body;
  await upload(drone, { file_name: "log.bin", asset_type: "logs", execution_id: id }, "a very small log");
  await user.api.get(`/executions/${id}/archive`);
  const url = await until(async () => (await user.api.get(`/executions/${id}/archive`)).body.url ?? false);
  const file = join(freshFolder("verify"), "archive.zip");
  await writeFile(file, Buffer.from(await (await fetch(url as string)).arrayBuffer()));
  const whole = await admin(["verify-archive", file, "--key", gateway.url]);
  expect(whole).toMatchObject({ code: 0, err: "" });
  expect(whole.out).toContain(`is whole: execution ${id}`);
  expect((await admin(["verify-archive", file], { ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY })).code).toBe(0);
  expect(await admin(["verify-archive", file])).toMatchObject({
    code: 1,
    err: expect.stringContaining("--key"),
  });
  const bytes = await readFile(file);
  bytes[bytes.indexOf("very small")] = "V".charCodeAt(0);
  await writeFile(file, bytes);
  const altered = await admin(["verify-archive", file, "--key", gateway.url]);
  expect(altered.code).toBe(1);
  expect(altered.err).toMatch(/log\.bin (was altered|cannot be read)/);
});
