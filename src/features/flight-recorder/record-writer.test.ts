import { assetsOf, contentOf, linkedDrone, recordOf } from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { RecordWriter } from "./record-writer";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

test("a record ends at its bound", async () => {
  const drone = await linkedDrone(gateway);
  const lost: number[] = [];
  const writer = new RecordWriter(gateway.deps, {
    maxRecordBytes: 2_000,
    onLost: (bytes) => lost.push(bytes),
  });
  const part = (at: number) => ({
    from: at * 1e6,
    to: at * 1e6,
    execution: undefined,
    bytes: Buffer.alloc(1_500),
  });
  for (const at of [1_700_000_000, 1_700_000_060, 1_700_000_120]) writer.write(drone.id, part(at));
  await writer.end();
  expect((await recordOf(drone)).size).toBe(3_000);
});

test("the parts that wait for the store in memory are bounded, and the newest is kept", async () => {
  const drone = await linkedDrone(gateway);
  const lost: number[] = [];
  const writer = new RecordWriter(gateway.deps, {
    maxWaitingBytes: 3_000,
    onLost: (bytes) => lost.push(bytes),
  });
  for (const at of [1, 2, 3, 4])
    writer.write(drone.id, {
      from: 1.7e15 + at,
      to: 1.7e15 + at,
      execution: undefined,
      bytes: Buffer.alloc(1_000, at),
    });
  writer.close(drone.id);
  await writer.end();
  expect(lost).toEqual([1_000]);
  expect([...new Set(await contentOf(drone, await recordOf(drone)))]).toEqual([1, 3, 4]);
});

test("a record takes nothing of the owner's quotas, and the drone's uploads do not touch it", async () => {
  const drone = await linkedDrone(gateway);
  const writer = new RecordWriter(gateway.deps);
  writer.write(drone.id, { from: 1.7e15, to: 1.7e15, execution: undefined, bytes: Buffer.alloc(1_000) });
  await writer.end();
  const [record] = await assetsOf(drone);
  const name = { file_name: record?.file_name, asset_type: "logs" };
  expect((await drone.api.post("/complete_upload", { asset_id: record?.id })).status).toBe(403);
  expect((await drone.api.post("/authenticate_upload", name)).body.asset_id).not.toBe(record?.id);
  const used = (await drone.user.api.get("/user/quotas")).body.data as { quota: string; used: number }[];
  expect(used.find(({ quota }) => quota === "stored_bytes")?.used).toBe(0);
  expect(used.find(({ quota }) => quota === "assets")?.used).toBe(1);
});
