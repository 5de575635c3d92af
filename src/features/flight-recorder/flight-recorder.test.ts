import { setTimeout as delay } from "node:timers/promises";
import { createMetrics } from "../../platform/process/metrics";
import { freshDatabase, freshObjects } from "../../testing";
import { until } from "../../testing/until";
import { endExecution, startExecution } from "../../testing/worlds/flights";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import {
  assetsOf,
  framesOf,
  type LinkedDrone,
  linkedDrone,
  recordOf,
} from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";
import { createLinkPool, type LinkPool } from "../../vehicle";
import { common, minimal } from "../../vehicle/mavlink/wire/messages";
import { FlightRecorder } from "./flight-recorder";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

let gateway: TestGateway;
let store: InterruptibleLink;
let database: InterruptibleLink;
beforeAll(async () => {
  const [objects, { url }] = await Promise.all([freshObjects("fleet", "fleet-vpn"), freshDatabase()]);
  [store, database] = await Promise.all([interruptibleLink(objects.url), interruptibleLink(url)]);
  gateway = await startTestGateway({
    WORKER_IN_PROCESS: "true",
    DATABASE_URL: database.url,
    DATABASE_DIRECT_URL: url,
    S3_ENDPOINT: store.url,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  });
});

/** A replica's recorder with the links that it listens to. */
interface Replica {
  readonly recorder: FlightRecorder;
  readonly pool: LinkPool;
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

function startReplica({ pollMs = 50, partMs = 200, timings = {}, holds = true } = {}): Replica {
  const deps = { ...gateway.deps, registry: createMetrics("replica") };
  const recorder = new FlightRecorder(deps, { partMs, pollMs });
  const pool = createLinkPool({ mavlink: { systemId: 245, timings }, tap: recorder.tap, idleMs: 60_000 });
  recorder.start(holds ? pool : { hold: async () => {} });
  endings.push(async () => {
    recorder.drain();
    await pool.drain(0);
    await recorder.stop();
  });
  return { recorder, pool };
}

const newDrone = () => linkedDrone(gateway);

const firstOf = async (drone: LinkedDrone) => (await assetsOf(drone))[0] ?? false;

/** Makes the job that joins an abandoned record due now. */
const expireRecord = ({ id }: { id: number }) =>
  gateway.deps.db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ?", [
    `join-record:${id}`,
  ]);

/** Arms a watched vehicle. Resolves when the recorder must know. */
async function arm({ pool }: Replica, { target }: LinkedDrone): Promise<void> {
  const stop = pool.subscribe(target, { onMessage() {} });
  endings.unshift(async () => stop());
  await pool.withLink(target, async (link) => {
    // On a busy machine a test lasts longer than the vehicle stays armed on the ground.
    await link.writeParam("DISARM_DELAY", 0);
    await link.setMode("GUIDED");
    await link.arm();
  });
  await delay(1_100);
}
const disarm = ({ pool }: Replica, { target }: LinkedDrone) => pool.withLink(target, (link) => link.disarm());

/** The greatest pause between two heartbeats of the vehicle. */
function longestPause(frames: Awaited<ReturnType<typeof framesOf>>): number {
  const beats = frames.filter(
    ({ message, systemId }) => message instanceof minimal.Heartbeat && systemId === 1,
  );
  return Math.max(...beats.slice(1).map(({ at }, index) => at - (beats[index]?.at ?? 0)));
}

test("an armed vehicle's link is recorded in both directions, until it is disarmed", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await replica.pool.withLink(drone.target, (link) => link.readParams(["FENCE_ENABLE"]));
  await arm(replica, drone);
  await delay(1_500);
  await disarm(replica, drone);
  const record = await recordOf(drone);
  expect(record).toMatchObject({ recorded: true, execution_id: null });
  expect(record.file_name).toMatch(/^flight-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tlog$/);
  const frames = await framesOf(drone, record);
  // Its first frame tells a reader that the motors ran.
  const [{ message } = {}] = frames;
  expect(message).toBeInstanceOf(minimal.Heartbeat);
  expect((message as minimal.Heartbeat).baseMode & 0x80).toBe(0x80);
  expect(
    frames.some(({ message, systemId }) => message instanceof common.CommandLong && systemId === 245),
  ).toBe(true);
  expect(frames.some(({ message, systemId }) => message instanceof common.CommandAck && systemId === 1)).toBe(
    true,
  );
  expect(frames.every(({ message }) => !(message instanceof common.ParamValue))).toBe(true);
  expect(frames.at(-1)?.at).toBeGreaterThan((frames[0]?.at ?? 0) + 1_000);
  await replica.pool.withLink(drone.target, (link) => link.readParams(["FENCE_ENABLE"]));
  expect((await framesOf(drone, record)).length).toBe(frames.length);
});

test("an execution's link is held and recorded without anybody who uses it, and gives the figures", async () => {
  const [, drone] = [startReplica(), await newDrone()];
  const id = await startExecution(drone.api);
  // It has read the plan, and the vehicle serves one client.
  gateway.deps.links.close(drone.target.key);
  await delay(3_000);
  await endExecution(drone.api, id);
  const record = await recordOf(drone);
  expect(record).toMatchObject({ recorded: true, execution_id: id });
  expect(
    (await framesOf(drone, record)).some(({ message }) => message instanceof common.GlobalPositionInt),
  ).toBe(true);
  const stats = await until(async () => {
    const { data } = (await drone.user.api.get(`/executions/${id}/flight-stats`)).body;
    return data?.status === "ready" ? data : false;
  }, 30_000);
  expect(stats).toMatchObject({ recorded: true, asset_id: record.id, stats: { format: "tlog" } });
});

test("the record of a lost drone is there as soon as its execution has ended", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  const id = await startExecution(drone.api);
  gateway.deps.links.close(drone.target.key);
  await arm(replica, drone);
  await until(() => firstOf(drone));
  await drone.stop();
  await until(() => replica.pool.size === 0);
  await endExecution(drone.api, id, "error");
  expect(await recordOf(drone)).toMatchObject({ recorded: true, execution_id: id });
});

test("the record of a lost drone whose execution ended between two looks at it is there soon", async () => {
  const drone = await newDrone();
  const id = await startExecution(drone.api);
  gateway.deps.links.close(drone.target.key);
  const replica = startReplica({ pollMs: 5_000 });
  await arm(replica, drone);
  await drone.stop();
  await endExecution(drone.api, id, "error");
  expect(await recordOf(drone)).toMatchObject({ recorded: true, execution_id: id });
});

test("the record of a lost drone whose link stays open is there soon after its execution has ended", async () => {
  const replica = startReplica({ partMs: 60_000, timings: { heartbeatTimeoutMs: 60_000 } });
  const drone = await newDrone();
  const link = await interruptibleLink(`tcp://${drone.target.host}:${drone.target.port}`);
  const port = Number(new URL(link.url).port);
  await gateway.deps.db("drones").where({ id: drone.id }).update({ port });
  const id = await startExecution(drone.api);
  gateway.deps.links.close(drone.target.key);
  await arm(replica, { ...drone, target: { ...drone.target, port } });
  link.stall();
  await endExecution(drone.api, id, "error");
  expect(await recordOf(drone)).toMatchObject({ recorded: true, execution_id: id });
  expect(replica.pool.size).toBe(1);
});

test("the drone's own log takes the place of the record's figures, once it is there", async () => {
  const [, drone] = [startReplica(), await newDrone()];
  const id = await startExecution(drone.api);
  const statsOf = async () => (await drone.user.api.get(`/executions/${id}/flight-stats`)).body.data;
  const announced = { file_name: "1.bin", asset_type: "logs", execution_id: id };
  const { asset_id } = (await drone.api.post("/authenticate_upload", announced)).body;
  await drone.api.post(`/executions/${id}/log`, { asset_id });
  await until(() => drone.vehicle.connected);
  await delay(500);
  await endExecution(drone.api, id);
  await until(async () => (await statsOf())?.recorded && (await statsOf()).status === "ready", 30_000);
  await upload(drone.api, { ...announced, checksum: null }, "no real log");
  await until(
    async () => (await statsOf()).asset_id === asset_id && (await statsOf()).status === "failed",
    30_000,
  );
  expect((await statsOf()).recorded).toBe(false);
});

test("a gateway that is killed loses what is younger than a part, and the record is joined without it", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  const begun = await until(() => firstOf(drone));
  expect(begun).toMatchObject({ status: "pending", recorded: true });
  await delay(1_000);
  // From here on it does nothing more, as a killed process does.
  replica.recorder.drain();
  const killedAt = Date.now();
  await delay(600);
  await expireRecord(begun);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(frames.at(-1)?.at).toBeGreaterThan(killedAt - 600);
  expect(frames.at(-1)?.at).toBeLessThan(killedAt + 100);
});

test("a link that moves to another replica in flight goes on with the record", async () => {
  const [first, second, drone] = [startReplica(), startReplica(), await newDrone()];
  await arm(first, drone);
  await delay(700);
  first.pool.close(drone.target.key, "another gateway took over the drone's link");
  const movedAt = Date.now();
  await second.pool.withLink(drone.target, () => delay(2_500));
  await disarm(second, drone);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(frames[0]?.at).toBeLessThan(movedAt);
  expect(frames.at(-1)?.at).toBeGreaterThan(movedAt + 1_000);
  expect(longestPause(frames)).toBeLessThan(2_500);
});

test("an execution whose link moved to another replica has one record, to its end", async () => {
  const [first, drone] = [startReplica({ pollMs: 600, holds: false }), await newDrone()];
  const second = startReplica({ pollMs: 1_000, holds: false });
  const id = await startExecution(drone.api);
  gateway.deps.links.close(drone.target.key);
  await arm(first, drone);
  first.pool.close(drone.target.key, "another gateway took over the drone's link");
  await second.pool.withLink(drone.target, () => delay(2_500));
  await disarm(second, drone);
  const endedAt = Date.now();
  await endExecution(drone.api, id, "error");
  const record = await recordOf(drone);
  expect(record).toMatchObject({ execution_id: id });
  expect((await framesOf(drone, record)).at(-1)?.at).toBeGreaterThan(endedAt - 1_000);
});

test.each([
  ["the object store", () => store],
  ["the database", () => database],
])("a flight does not notice that %s is away, and its record has no gap", async (_what, linkOf) => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  await until(() => firstOf(drone));
  linkOf().cut();
  await delay(1_500);
  const before = performance.now();
  await replica.pool.withLink(drone.target, (link) => link.setMode("LOITER"));
  expect(performance.now() - before).toBeLessThan(1_500);
  linkOf().mend();
  await delay(500);
  await disarm(replica, drone);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(longestPause(frames)).toBeLessThan(1_500);
});

test("a record that its owner deletes in flight is begun anew", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  const begun = await until(() => firstOf(drone));
  expect((await drone.user.api.post(`/assets/${drone.id}/delete`, { ids: [begun.id] })).status).toBe(200);
  await until(async () => (await assetsOf(drone)).length > 0);
  await disarm(replica, drone);
  expect((await recordOf(drone)).id).not.toBe(begun.id);
  await until(async () => (await gateway.deps.store.list(`assets/${drone.id}/${begun.id}/`)).length === 0);
});
