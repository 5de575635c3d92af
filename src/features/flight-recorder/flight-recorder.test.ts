import { createMetrics } from "../../platform/process/metrics";
import { freshDatabase, freshObjects } from "../../testing";
import { straightFlight } from "../../testing/flight-logs";
import { until } from "../../testing/until";
import { endExecution, startExecution } from "../../testing/worlds/flights";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import {
  assetsOf,
  framesIn,
  framesOf,
  type LinkedDrone,
  linkedDrone,
  recordOf,
} from "../../testing/worlds/simulated-drone";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";
import { createLinkPool, type FrameTap, type LinkPool, type LinkTarget } from "../../vehicle";
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
  /** Whether the vehicle is armed, as each of its heartbeats told the recorder. */
  readonly heartbeats: { readonly key: string; readonly armed: boolean }[];
  /** The drones in flight, as the recorder read them, each time. */
  readonly looks: (readonly string[])[];
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

function startReplica({ pollMs = 50, partMs = 200, timings = {}, holds = true } = {}): Replica {
  const deps = { ...gateway.deps, registry: createMetrics("replica") };
  const recorder = new FlightRecorder(deps, { partMs, pollMs, retryMs: 100 });
  const heartbeats: Replica["heartbeats"] = [];
  const looks: Replica["looks"] = [];
  const tap = (target: LinkTarget): FrameTap => {
    const shipped = recorder.tap(target);
    return {
      ...shipped,
      armed(armed, heartbeat) {
        shipped.armed(armed, heartbeat);
        heartbeats.push({ key: target.key, armed });
      },
    };
  };
  const pool = createLinkPool({ mavlink: { systemId: 245, timings }, tap, idleMs: 60_000 });
  recorder.start({
    async hold(targets) {
      looks.push(targets.map(({ key }) => key));
      if (holds) await pool.hold(targets);
    },
  });
  endings.push(async () => {
    recorder.drain();
    await pool.drain(0);
    await recorder.stop();
  });
  return { recorder, pool, heartbeats, looks };
}

/** Resolves when the recorder has been given so many further heartbeats of the armed vehicle. */
async function nextHeartbeats(replica: Replica, drone: LinkedDrone, count: number): Promise<void> {
  const before = armedHeartbeats(drone, replica);
  await until(() => armedHeartbeats(drone, replica) >= before + count);
}

/** How many heartbeats of the armed vehicle these replicas' recorders were given. */
const armedHeartbeats = ({ target }: LinkedDrone, ...replicas: Replica[]): number =>
  replicas.flatMap(({ heartbeats }) => heartbeats.filter(({ key, armed }) => armed && key === target.key))
    .length;

/** Resolves when the recorder knows that an execution of the drone is in progress. */
const executionSeen = ({ looks }: Replica, { target }: LinkedDrone) =>
  until(() => looks.at(-1)?.includes(target.key) ?? false);

const newDrone = () => linkedDrone(gateway);

/** The drone's record, once a part of it is stored. */
const begunRecord = (drone: LinkedDrone) =>
  until(async () => (await assetsOf(drone)).find(({ recorded, size }) => recorded && size > 0) ?? false);

const partsOf = (drone: LinkedDrone, record: { id: number }) =>
  gateway.deps.store.list(`assets/${drone.id}/${record.id}/parts/`);

/** The frames of the parts that are stored. */
async function storedFrames(drone: LinkedDrone, record: { id: number }) {
  const parts = await partsOf(drone, record);
  const contents = await Promise.all(parts.map(({ key }) => gateway.deps.store.readSmall(key)));
  return framesIn(Buffer.concat(contents));
}

/** Resolves when the record has a position of the vehicle. */
async function positionStored(drone: LinkedDrone): Promise<void> {
  const record = await begunRecord(drone);
  await until(async () => (await storedFrames(drone, record)).some(isPosition));
}

const isPosition = ({ message }: Frame) => message instanceof common.GlobalPositionInt;

/** When the job that joins the record runs. */
const joinTime = async ({ id }: { id: number }): Promise<Date | undefined> =>
  (
    await gateway.deps
      .db("graphile_worker.jobs")
      .where({ key: `join-record:${id}` })
      .first("run_at")
  )?.run_at;

/** Makes the job that joins a record due now. */
const expireRecord = ({ id }: { id: number }) =>
  gateway.deps.db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ?", [
    `join-record:${id}`,
  ]);

/** Its telemetry flows from now on. */
function watch({ pool }: Replica, { target }: LinkedDrone): void {
  const stop = pool.subscribe(target, { onMessage() {} });
  endings.unshift(async () => stop());
}

/** Arms a watched vehicle. Resolves when the recorder knows. */
async function arm(replica: Replica, drone: LinkedDrone): Promise<void> {
  watch(replica, drone);
  await replica.pool.withLink(drone.target, async (link) => {
    // On a busy machine a test lasts longer than the vehicle stays armed on the ground.
    await link.writeParam("DISARM_DELAY", 0);
    await link.setMode("GUIDED");
    await link.arm();
  });
  await until(() => armedHeartbeats(drone, replica) > 0);
}
const disarm = ({ pool }: Replica, { target }: LinkedDrone) => pool.withLink(target, (link) => link.disarm());

type Frame = ReturnType<typeof framesIn>[number];

/** Whether it is a heartbeat of the armed vehicle. */
const isArmedHeartbeat = ({ message, systemId }: Frame) =>
  message instanceof minimal.Heartbeat && systemId === 1 && (message.baseMode & 0x80) !== 0;

test("an armed vehicle's link is recorded in both directions, until it is disarmed", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await replica.pool.withLink(drone.target, (link) => link.readParams(["FENCE_ENABLE"]));
  await arm(replica, drone);
  await nextHeartbeats(replica, drone, 2);
  await disarm(replica, drone);
  const record = await recordOf(drone);
  expect(record).toMatchObject({ recorded: true, execution_id: null });
  expect(record.file_name).toMatch(/^flight-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tlog$/);
  const frames = await framesOf(drone, record);
  // Its first frame tells a reader that the motors ran.
  expect(frames.findIndex(isArmedHeartbeat)).toBe(0);
  expect(frames.filter(isArmedHeartbeat)).toHaveLength(armedHeartbeats(drone, replica));
  // Its last frame is the heartbeat of the disarmed vehicle.
  expect(frames.at(-1)?.message).toBeInstanceOf(minimal.Heartbeat);
  expect(frames.findLastIndex(isArmedHeartbeat)).toBeLessThan(frames.length - 1);
  expect(
    frames.some(({ message, systemId }) => message instanceof common.CommandLong && systemId === 245),
  ).toBe(true);
  expect(frames.some(({ message, systemId }) => message instanceof common.CommandAck && systemId === 1)).toBe(
    true,
  );
  expect(frames.every(({ message }) => !(message instanceof common.ParamValue))).toBe(true);
  await replica.pool.withLink(drone.target, (link) => link.readParams(["FENCE_ENABLE"]));
  expect((await framesOf(drone, record)).length).toBe(frames.length);
});

test("an execution's link is held and recorded without anybody who uses it, and gives the figures", async () => {
  const [, drone] = [startReplica(), await newDrone()];
  const id = await startExecution(drone.api);
  // It has read the plan, and the vehicle serves one client.
  gateway.deps.links.close(drone.target.key);
  await positionStored(drone);
  await endExecution(drone.api, id);
  const record = await recordOf(drone);
  expect(record).toMatchObject({ recorded: true, execution_id: id });
  expect((await framesOf(drone, record)).some(isPosition)).toBe(true);
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
  await begunRecord(drone);
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
  const record = await begunRecord(drone);
  // Two looks after the one that finds the execution ended.
  await until(async () => Number(await joinTime(record)) < Date.now() + 10_000);
  await expireRecord(record);
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
  await executionSeen(replica, drone);
  await begunRecord(drone);
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
  // The vehicle serves one client.
  gateway.deps.links.close(drone.target.key);
  await positionStored(drone);
  await endExecution(drone.api, id);
  await until(async () => (await statsOf())?.recorded && (await statsOf()).status === "ready", 30_000);
  await upload(drone.api, { ...announced, checksum: null }, straightFlight());
  await until(
    async () => (await statsOf()).asset_id === asset_id && (await statsOf()).status === "ready",
    30_000,
  );
  expect(await statsOf()).toMatchObject({ recorded: false, error: null, stats: { format: "dataflash" } });
});

test("the record gives the figures when the drone's own log cannot be read, whichever comes first", async () => {
  const [, drone] = [startReplica(), await newDrone()];
  const id = await startExecution(drone.api);
  const statsOf = async () => (await drone.user.api.get(`/executions/${id}/flight-stats`)).body.data;
  const sendLog = async (file_name: string) => {
    const announced = { file_name, asset_type: "logs", execution_id: id };
    const { asset_id } = (await drone.api.post("/authenticate_upload", announced)).body;
    await drone.api.post(`/executions/${id}/log`, { asset_id });
    await upload(drone.api, { ...announced, checksum: null }, "no real log");
  };
  await sendLog("first.bin");
  await until(async () => (await statsOf())?.status === "failed", 30_000);
  gateway.deps.links.close(drone.target.key);
  await positionStored(drone);
  await endExecution(drone.api, id);
  const record = await until(async () => {
    const found = (await assetsOf(drone)).find(({ recorded }) => recorded);
    return found?.status === "ready" ? found : false;
  }, 30_000);
  const ofRecord = { recorded: true, status: "ready", error: expect.any(String), stats: { format: "tlog" } };
  const expected = { ...ofRecord, asset_id: record.id };
  await until(async () => (await statsOf()).recorded, 30_000);
  expect(await statsOf()).toMatchObject(expected);
  await sendLog("second.bin");
  await until(async () => (await statsOf()).recorded, 30_000);
  expect(await statsOf()).toMatchObject(expected);
});

test("a gateway that is killed loses what is younger than a part, and the record is joined without it", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  const begun = await begunRecord(drone);
  expect(begun).toMatchObject({ status: "pending", recorded: true });
  await until(async () => (await partsOf(drone, begun)).length >= 3, 60_000);
  // From here on it does nothing more, as a killed process does.
  replica.recorder.drain();
  const killedAt = Date.now();
  const stored = await storedFrames(drone, begun);
  await nextHeartbeats(replica, drone, 1);
  await expireRecord(begun);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(frames.length).toBeGreaterThanOrEqual(stored.length);
  expect(frames.at(-1)?.at).toBeGreaterThan(killedAt - 600);
  expect(frames.at(-1)?.at).toBeLessThanOrEqual(killedAt);
});

test("a link that moves to another replica in flight goes on with the record", async () => {
  const [first, second, drone] = [startReplica(), startReplica(), await newDrone()];
  await arm(first, drone);
  await nextHeartbeats(first, drone, 1);
  first.pool.close(drone.target.key, "another gateway took over the drone's link");
  await second.pool.withLink(drone.target, () => nextHeartbeats(second, drone, 1));
  await disarm(second, drone);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(armedHeartbeats(drone, second)).toBeGreaterThan(1);
  expect(frames.filter(isArmedHeartbeat)).toHaveLength(armedHeartbeats(drone, first, second));
});

test("an execution whose link moved to another replica has one record, to its end", async () => {
  const [first, drone] = [startReplica({ pollMs: 600, holds: false }), await newDrone()];
  const second = startReplica({ pollMs: 800, holds: false });
  const id = await startExecution(drone.api);
  gateway.deps.links.close(drone.target.key);
  await arm(first, drone);
  first.pool.close(drone.target.key, "another gateway took over the drone's link");
  watch(second, drone);
  await executionSeen(second, drone);
  await disarm(second, drone);
  // So that the other replica is the first to read that the execution has ended.
  const { length } = second.looks;
  await until(() => second.looks.length > length);
  const endedAt = Date.now();
  await endExecution(drone.api, id, "error");
  const record = await recordOf(drone);
  expect(record).toMatchObject({ execution_id: id });
  expect((await framesOf(drone, record)).at(-1)?.at).toBeGreaterThan(endedAt);
});

test.each([
  ["the object store", () => store],
  ["the database", () => database],
])("a flight does not notice that %s is away, and its record has no gap", async (_what, linkOf) => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  await begunRecord(drone);
  linkOf().cut();
  await nextHeartbeats(replica, drone, 2);
  const before = performance.now();
  await replica.pool.withLink(drone.target, (link) => link.setMode("LOITER"));
  expect(performance.now() - before).toBeLessThan(1_500);
  linkOf().mend();
  await nextHeartbeats(replica, drone, 1);
  await disarm(replica, drone);
  const frames = await framesOf(drone, await recordOf(drone));
  expect(frames.filter(isArmedHeartbeat)).toHaveLength(armedHeartbeats(drone, replica));
});

test("a record that its owner deletes in flight is begun anew", async () => {
  const [replica, drone] = [startReplica(), await newDrone()];
  await arm(replica, drone);
  const begun = await begunRecord(drone);
  expect((await drone.user.api.post(`/assets/${drone.id}/delete`, { ids: [begun.id] })).status).toBe(200);
  await until(async () => (await assetsOf(drone)).length > 0);
  await disarm(replica, drone);
  expect((await recordOf(drone)).id).not.toBe(begun.id);
  await until(async () => (await gateway.deps.store.list(`assets/${drone.id}/${begun.id}/`)).length === 0);
});
