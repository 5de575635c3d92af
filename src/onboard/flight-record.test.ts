import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("a flight is recorded from arming to disarming, with its log, also an execution that was left open", async () => {
  const gateway = await startTestGateway();
  const { api } = await gateway.newUser();
  const logFolder = freshFolder("logs");
  const { vehicle, stop } = await startTestSimulator([{ kind: "copter", onboardPort: 0, logFolder }], 10);
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
      ONBOARD_VEHICLE_PORT: String(vehicle.onboardPort),
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
  expect(over?.assets).toEqual([expect.objectContaining({ asset_type: "logs", status: "ready" })]);
  const { body: stats } = await api.post(`/executions/${running.id}/analyze-log`, {});
  expect(stats.data.stats.max_altitude_m).toBeGreaterThan(8);
});

test("a log that still grows during its upload arrives whole, as the flight's only log", async () => {
  const gateway = await startTestGateway();
  const flight = await startFlight(gateway);
  const logFolder = freshFolder("logs");
  const file = join(logFolder, "00000007.BIN");
  let brought = 0;
  class Slow extends DroneGateway {
    override async upload(url: string, log: string, size: number): Promise<void> {
      if (++brought === 1) appendFileSync(log, " and its end");
      await super.upload(url, log, size);
    }
  }
  const record = new FlightRecord({
    gateway: new Slow(gateway.url, flight.vehicle.ip),
    logFolder,
    log: createLogger("test", "silent"),
    retryMs: 50,
  });
  atEndOfFile(async () => record.stop());
  record.observe(true);
  writeFileSync(file, "the flight");
  record.observe(false);
  await until(() => record.open === 0);
  expect(brought).toBe(2);
  const { status, log_asset_id, assets } = await executionOf(flight, flight.id);
  expect(status).toBe("completed");
  expect(assets).toMatchObject([
    { id: log_asset_id, status: "ready", sha256: sha256(readFileSync(file)), failure: null },
  ]);
});

test("a flight whose log finds no room is completed without it, and the next one is recorded", async () => {
  const gateway = await startTestGateway({ QUOTA_STORED_BYTES: "5" });
  const flight = await startFlight(gateway);
  const logFolder = freshFolder("logs");
  const record = new FlightRecord({
    gateway: new DroneGateway(gateway.url, flight.vehicle.ip),
    logFolder,
    log: createLogger("test", "silent"),
    retryMs: 50,
  });
  atEndOfFile(async () => record.stop());
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
