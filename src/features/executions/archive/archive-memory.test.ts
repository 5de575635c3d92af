import { fork } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ApiClient } from "../../../testing/client";
import { startTestGateway, TEST_ARCHIVE_KEY, type TestGateway } from "../../../testing/start-gateway";
import { droneClient } from "../../../testing/uploads";

const MEGABYTE = 2 ** 20;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

/** Upload so many megabytes without holding them. */
async function uploadMegabytes(drone: ApiClient, execution_id: number, megabytes: number): Promise<void> {
  const wish = { file_name: `${megabytes}.bin`, asset_type: "logs", execution_id };
  const { asset_id, url } = (await drone.post("/authenticate_upload", wish)).body;
  const chunk = Buffer.alloc(MEGABYTE, "flight");
  const body = Readable.toWeb(
    Readable.from(
      (function* () {
        for (let n = 0; n < megabytes; n++) yield chunk;
      })(),
    ),
  );
  const headers = { "content-length": String(megabytes * MEGABYTE) };
  const stored = await fetch(url, { method: "PUT", body, headers, duplex: "half" } as never);
  expect(stored.status).toBe(200);
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(200);
}

/** The most memory, in megabytes, that a process of its own had while it made the archive. */
function archivePeak(execution_id: number): Promise<number> {
  const { config } = gateway.deps;
  const { S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = config;
  const child = fork(
    join(__dirname, "../../../testing/measured-task.ts"),
    ["make-archive", JSON.stringify({ execution_id })],
    {
      execArgv: ["--require", "@swc-node/register"],
      env: {
        ...process.env,
        ...{ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY },
        ...{ DATABASE_URL: config.DATABASE_URL, SMTP_URL: config.SMTP_URL },
      },
    },
  );
  return new Promise((resolve, reject) => {
    child.once("message", (told: { peakMegabytes: number }) => resolve(told.peakMegabytes));
    child.once("exit", () => reject(new Error("The job ended without a word.")));
  });
}

test("two hundred megabytes are archived in the memory that sixty take", async () => {
  const { api } = await gateway.newUser();
  const { body } = await api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const peaks: number[] = [];
  for (const megabytes of [60, 200]) {
    const id = (await drone.post("/executions/start", {})).body.id;
    await uploadMegabytes(drone, id, megabytes);
    await drone.post(`/executions/${id}/complete`, { status: "completed" });
    await api.post(`/executions/${id}/archive`);
    peaks.push(await archivePeak(id));
    const made = (await api.get(`/executions/${id}/archive`)).body;
    expect(made).toMatchObject({ status: "ready" });
    expect(made.size).toBeGreaterThan(megabytes * MEGABYTE);
    await api.delete(`/executions/${id}`);
  }
  const [small = 0, large = 0] = peaks;
  expect(large / small).toBeLessThan(1.35);
}, 120_000);
