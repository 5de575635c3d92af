import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loadConfig, onboardConfig } from "../platform/config";
import { createLogger } from "../platform/process/log";
import { atEndOfFile, freshFolder } from "../testing";
import { until } from "../testing/until";
import { executionOf, startFlight } from "../testing/worlds/flights";
import { startTestSimulator } from "../testing/worlds/simulator";
import { startTestGateway } from "../testing/worlds/start-gateway";
import { sha256 } from "../testing/worlds/uploads";
import { startOnboard } from ".";
import { FlightRecord } from "./flight-record";
import { DroneGateway } from "./gateway";

jest.setTimeout(60_000);

interface Execution {
  readonly id: number;
  readonly status: string;
  readonly notes: string | null;
  readonly log_asset_id: number | null;
  readonly assets?: readonly { readonly asset_type: string; readonly status: string }[];
}

const LOGS = [
  { autopilot: "ardupilot", format: "dataflash", name: /^00000001\.BIN$/ },
  { autopilot: "px4", format: "ulog", name: /^\d\d_\d\d_\d\d\.ulg$/ },
] as const;

test.each(LOGS)("$autopilot's flight is recorded with its log, and one that was left open", async (log) => {
  const gateway = await startTestGateway();
  const { api } = await gateway.newUser();
  const logFolder = freshFolder("logs");
  const options = { kind: "copter", autopilot: log.autopilot, onboardPort: 0, logFolder } as const;
  const { vehicle, stop } = await startTestSimulator([options], 10);
  atEndOfFile(stop);
  const input = { type: "sitl", name: "Heron", vehicle_type: "copter" };
  const { body: drone } = await api.post("/drone", { ...input, port: vehicle.port, link_host: vehicle.host });
  const asDrone = gateway.api.with({ "x-drone-ip": drone.ip });
  const { body: left } = await asDrone.post("/executions/start", {});

  const agent = await startOnboard(
    loadConfig(onboardConfig, {
      DRONE_IP: drone.ip,
      ONBOARD_PORT: "0",
      REDIS_URL: gateway.redisUrl,
      ONBOARD_VEHICLE: `127.0.0.1:${vehicle.onboardPort}`,
      ONBOARD_GATEWAY_URL: gateway.url,
      ONBOARD_LOG_FOLDER: logFolder,
      LOG_LEVEL: "silent",
    }),
  );
  atEndOfFile(() => agent.lifecycle.stop("the tests are over"));
  const executions = async (): Promise<Execution[]> => (await api.get("/executions")).body.data.executions;
  await until(async () => (await executions())[0]?.status === "error");
  expect((await executions())[0]).toMatchObject({ id: left.id, notes: expect.stringContaining("restarted") });

  const arm = { drone_id: drone.id };
  expect((await api.post("/drone/action/guided", arm)).status).toBe(200);
  expect((await api.post("/drone/action/arm", arm)).status).toBe(200);
  const running = await until(
    async () => (await executions()).find(({ status }) => status === "in_progress") ?? false,
  );
  expect((await api.post("/drone/action/takeoff", { ...arm, altitude: 10 })).status).toBe(200);
  await until(() => vehicle.state.relativeAltitude > 9);
  expect((await api.post("/drone/action/land", arm)).status).toBe(200);
  await until(() => !vehicle.state.armed);

  const over = await until(async () => {
    const { data } = (await api.get(`/executions/${running.id}`)).body as { data: Execution };
    return data.assets?.some(({ status }) => status === "ready") && data;
  });
  expect(over).toMatchObject({ status: "completed", log_asset_id: expect.any(Number) });
  const asset = { asset_type: "logs", status: "ready", file_name: expect.stringMatching(log.name) };
  expect(over?.assets).toEqual([expect.objectContaining(asset)]);
  const { stats } = (await api.post(`/executions/${running.id}/analyze-log`, {})).body.data;
  expect(stats).toMatchObject({ format: log.format, complete: true, flight_count: 1, failsafes: 0 });
  expect(stats.max_altitude_m).toBeGreaterThan(8);
});

/** Shorter waits than a drone's. */
const WAITS = { stillMs: 200, comesMs: 600, growsMs: 1_000 };

/** A gateway that counts the uploads, and what happens before each. */
class CountedGateway extends DroneGateway {
  uploads = 0;
  before: () => unknown = () => undefined;

  override async upload(...args: Parameters<DroneGateway["upload"]>): Promise<void> {
    this.uploads++;
    await this.before();
    await super.upload(...args);
  }
}

async function recorded(env: Record<string, string> = {}) {
  const gateway = await startTestGateway(env);
  const flight = await startFlight(gateway);
  const logFolder = freshFolder("logs");
  const counted = new CountedGateway(gateway.url, flight.vehicle.ip);
  const log = createLogger("test", "silent");
  const record = new FlightRecord({ gateway: counted, logFolder, log, retryMs: 50, waits: WAITS });
  atEndOfFile(async () => record.stop());
  return { flight, logFolder, record, counted };
}

test("a log that grows during its upload arrives as it was announced, once", async () => {
  const { flight, logFolder, record, counted } = await recorded();
  const file = join(logFolder, "00000007.BIN");
  counted.before = () => appendFileSync(file, " and what came later");
  record.observe(true);
  writeFileSync(file, "the flight");
  record.observe(false);
  await until(() => record.open === 0);
  expect(counted.uploads).toBe(1);
  const { status, log_asset_id, assets } = await executionOf(flight, flight.id);
  expect(status).toBe("completed");
  expect(assets).toMatchObject([
    { id: log_asset_id, status: "ready", sha256: sha256("the flight"), failure: null },
  ]);
});

test("a log whose completion is not answered is not uploaded again", async () => {
  const { flight, logFolder, record, counted } = await recorded();
  const complete = counted.completeUpload.bind(counted);
  let lost = 0;
  counted.completeUpload = async (assetId) => {
    if (lost === 1) await complete(assetId);
    if (lost++ < 2) throw new Error("The answer is lost.");
    await complete(assetId);
  };
  record.observe(true);
  writeFileSync(join(logFolder, "00000007.BIN"), "the flight");
  record.observe(false);
  await until(() => record.open === 0);
  expect([lost, counted.uploads]).toEqual([3, 1]);
  expect((await executionOf(flight, flight.id)).assets).toMatchObject([{ status: "ready" }]);
});

test("a log that is replaced before its upload is announced again", async () => {
  const { flight, logFolder, record, counted } = await recorded();
  const file = join(logFolder, "00000007.BIN");
  counted.before = () => counted.uploads === 1 && writeFileSync(file, "a flight!!");
  record.observe(true);
  writeFileSync(file, "the flight");
  record.observe(false);
  await until(() => record.open === 0);
  const { assets } = await executionOf(flight, flight.id);
  expect(assets).toMatchObject([{ status: "ready", sha256: sha256("a flight!!") }]);
});

test("a log that grows for ever is taken as it is after a while, and once", async () => {
  const { flight, logFolder, record, counted } = await recorded();
  const file = join(logFolder, "00000007.BIN");
  record.observe(true);
  writeFileSync(file, "x");
  const growing = setInterval(() => appendFileSync(file, "x"), 20);
  atEndOfFile(async () => clearInterval(growing));
  const disarmed = Date.now();
  record.observe(false);
  await until(() => record.open === 0);
  clearInterval(growing);
  expect(Date.now() - disarmed).toBeGreaterThanOrEqual(WAITS.growsMs);
  expect(counted.uploads).toBe(1);
  const { assets } = await executionOf(flight, flight.id);
  expect(assets).toMatchObject([{ status: "ready", size: expect.any(Number) }]);
  expect(assets[0].size).toBeLessThanOrEqual(readFileSync(file).length);
});

test("a log that is written after disarming is waited for, and in a folder by date", async () => {
  const { flight, logFolder, record } = await recorded();
  record.observe(true);
  record.observe(false);
  await delay(WAITS.comesMs / 2);
  mkdirSync(join(logFolder, "2026-11-24"));
  writeFileSync(join(logFolder, "2026-11-24", "10_20_30.ulg"), "the flight");
  await until(() => record.open === 0);
  const { assets } = await executionOf(flight, flight.id);
  expect(assets).toMatchObject([{ file_name: "10_20_30.ulg", status: "ready" }]);
});

test("a log that is begun at the disarming is not the flight's", async () => {
  const { flight, logFolder, record } = await recorded();
  record.observe(true);
  writeFileSync(join(logFolder, "1.BIN"), "the flight");
  await delay(50);
  record.observe(true);
  await delay(50);
  writeFileSync(join(logFolder, "2.BIN"), "on the ground");
  record.observe(false);
  await until(() => record.open === 0);
  const { assets } = await executionOf(flight, flight.id);
  expect(assets).toMatchObject([{ file_name: "1.BIN", status: "ready" }]);
});

test("the next flight begins at once, while the log of the one before grows and is uploaded", async () => {
  const { flight, logFolder, record, counted } = await recorded();
  let isHeld = true;
  counted.before = () => until(() => !isHeld);
  const file = join(logFolder, "00000007.BIN");
  record.observe(true);
  writeFileSync(file, "one flight");
  record.observe(false);
  record.observe(true);
  await until(() => counted.uploads === 1);
  const running = await until(async () => {
    const { data } = (await flight.user.api.get("/executions")).body;
    const [newest] = data.executions as { id: number; status: string }[];
    return newest?.status === "in_progress" && newest.id !== flight.id && newest;
  });
  appendFileSync(file, " and another");
  record.observe(false);
  isHeld = false;
  await until(() => record.open === 0);
  expect((await executionOf(flight, flight.id)).assets).toMatchObject([{ size: 10, status: "ready" }]);
  expect((await executionOf(flight, running.id)).assets).toMatchObject([{ size: 22, status: "ready" }]);
});

test("a flight whose log finds no room is completed without it, and the next one is recorded", async () => {
  const { flight, logFolder, record } = await recorded({ QUOTA_STORED_BYTES: "5" });
  for (const name of ["1.BIN", "2.BIN"]) {
    record.observe(true);
    writeFileSync(join(logFolder, name), "the flight");
    record.observe(false);
    await until(() => record.open === 0);
  }
  const { data } = (await flight.user.api.get("/executions")).body;
  expect(data.executions).toMatchObject([{ status: "completed" }, { status: "completed" }]);
  expect((await executionOf(flight, flight.id)).log_asset_id).toBeNull();
});
