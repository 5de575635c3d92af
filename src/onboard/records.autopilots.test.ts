import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { offsetBy } from "../domain/geo";
import type { FlightStats } from "../flight-log";
import { createLogger } from "../platform/process/log";
import { packageRoot } from "../platform/process/version";
import { autopilots, isPx4, isRover } from "../testing/autopilots/autopilot";
import { type Flown, flown } from "../testing/autopilots/flown";
import { atEndOfFile } from "../testing/clean-up";
import { until } from "../testing/until";
import { FlightRecord } from "./flight-record";
import { DroneGateway } from "./gateway";

jest.setTimeout(390_000);

/** MAV_SYS_STATUS_PREARM_CHECK. */
const PREARM_CHECK = 0x10000000;

/** A flight as pymavlink or pyulog reads it. */
interface Figures {
  readonly duration: number;
  readonly distance: number;
  readonly max_altitude: number;
  readonly min_voltage: number;
  /** Milliampere hours of ArduPilot, per cent of PX4. */
  readonly used: number;
  readonly failsafes: number;
  readonly is_over: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "records-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

async function figuresOf(log: Buffer, name: string): Promise<Figures[]> {
  const path = join(folder, name);
  writeFileSync(path, log);
  const script = join(packageRoot, ".ci/peers/flight_figures.py");
  const { stdout } = await promisify(execFile)(process.env.PEERS_PYTHON as string, [script, path]);
  return JSON.parse(stdout);
}

interface Execution {
  readonly id: number;
  readonly status: string;
  readonly assets: readonly { readonly file_name: string; readonly size: number; readonly status: string }[];
}

/** The agent's record, which learns of arming from the witness: ArduPilot's simulator has no third port for the agent. */
async function recorded({ witness, gateway, droneId, autopilot, name }: Flown): Promise<FlightRecord> {
  const { ip } = await gateway.deps.db("drones").where({ id: droneId }).first("ip");
  const logFolder = join(autopilot.state, isPx4(name) ? "log" : "logs");
  const log = createLogger("test", "warn");
  const record = new FlightRecord({ gateway: new DroneGateway(gateway.url, ip), logFolder, log });
  const timer = setInterval(
    () =>
      void witness.seen().then(
        (seen) => record.observe(seen?.armed),
        () => clearInterval(timer),
      ),
    500,
  );
  atEndOfFile(async () => {
    clearInterval(timer);
    record.stop();
  });
  return record;
}

describe.each(autopilots)("%s", (name) => {
  let vehicle: Flown;
  let record: FlightRecord;
  beforeAll(async () => {
    vehicle = await flown(name, { speed: 1, env: { WORKER_IN_PROCESS: "true" } });
    record = await recorded(vehicle);
  });
  afterAll(async () => {
    record.stop();
    await vehicle.stop();
  });

  const armedIs = (armed: boolean) =>
    vehicle.witness.until(
      armed ? "the arming" : "the disarming",
      async () => (await vehicle.witness.fresh()).armed === armed,
      120,
    );

  /** In the mode that it is in now. */
  const readyToArm = async () => {
    const { witness } = vehicle;
    const from = (await witness.now()) + 1;
    await witness.until("that it may be armed", async () => {
      const [status] = (await witness.since(["SYS_STATUS"], from)).slice(-1);
      return (Number(status?.onboard_control_sensors_health) & PREARM_CHECK) !== 0;
    });
  };

  /** So many metres out and back, at 12 m where it flies, until it has disarmed. */
  const fly = async (metres: number) => {
    const { witness, order } = vehicle;
    const { lat, lng } = await witness.fresh();
    const home = { lat, lng };
    // A refused arming would open ArduPilot's log, too.
    if (!isPx4(name)) await witness.until("GUIDED", async () => (await order("guided")).status === 200);
    await readyToArm();
    expect(await order("arm")).toMatchObject({ status: 200 });
    await armedIs(true);
    if (!isRover(name)) {
      expect(await order("takeoff", { altitude: 12 })).toMatchObject({ status: 200 });
      await witness.until("11 m of height", async () => (await witness.fresh()).relativeAltitude > 11);
    }
    for (const to of metres > 0 ? [offsetBy(home, metres, metres / 2), home] : []) {
      await order("goto_gps_location", { ...to, altitude: 12 });
      await witness.until("the place", async () => {
        const seen = await witness.fresh();
        return Math.hypot(seen.lat - to.lat, (seen.lng - to.lng) * 0.8) < 4e-5;
      });
    }
    await order(isRover(name) ? "disarm_drone" : "land");
    await armedIs(false);
  };

  /** The last execution with its statistics, and the flights that the peer finds in the log that was uploaded. */
  const lastRecord = async () => {
    const { api, droneId, autopilot } = vehicle;
    const { data } = (await api.get(`/executions/vehicle/${droneId}?limit=1`)).body;
    const id = data.executions[0].id;
    const stats = await until(async () => {
      const { body } = await api.get(`/executions/${id}/flight-stats`);
      return body.data?.status === "ready" && (body.data.stats as FlightStats);
    });
    const execution: Execution = (await api.get(`/executions/${id}`)).body.data;
    const [log] = execution.assets;
    if (!log) throw new Error("No log was uploaded.");
    const bytes = readFileSync(await fileNamed(autopilot.state, log.file_name)).subarray(0, log.size);
    return { execution, stats, peer: await figuresOf(bytes, log.file_name) };
  };

  const expectSame = (stats: FlightStats, peer: Figures | undefined) => {
    if (!peer) throw new Error("The peer found no such flight.");
    const near = (ours: number | null | undefined, theirs: number, floor: number) =>
      expect(Math.abs((ours ?? Number.NaN) - theirs)).toBeLessThan(Math.max(0.01 * Math.abs(theirs), floor));
    near(stats.duration_seconds, peer.duration, 0.1);
    near(stats.distance_m, peer.distance, 1);
    near(stats.max_altitude_m, peer.max_altitude, 0.02);
    near(stats.battery?.min_voltage_v, peer.min_voltage, 0);
    near(isPx4(name) ? stats.battery?.used_percent : stats.battery?.used_mah, peer.used, 1);
    expect(stats.failsafes).toBe(peer.failsafes);
  };

  test("each flight is recorded once, with the figures that the peer reads in the same log", async () => {
    await fly(60);
    await until(() => record.open === 0, 60_000);
    const first = await lastRecord();
    expect(first.execution.assets).toHaveLength(1);
    expect(first.stats).toMatchObject({ flight_number: 1, flight_count: 1, complete: true });
    expect(first.stats.distance_m).toBeGreaterThan(100);
    expectSame(first.stats, first.peer[0]);

    await fly(0);
    await until(() => record.open === 0, 60_000);
    const second = await lastRecord();
    expect(second.execution.assets).toHaveLength(1);
    const number = isPx4(name) ? 1 : 2;
    expect(second.stats).toMatchObject({ flight_number: number, flight_count: number });
    expectSame(second.stats, second.peer[number - 1]);
  });
});

async function fileNamed(state: string, name: string): Promise<string> {
  const { stdout } = await promisify(execFile)("find", [state, "-name", name]);
  return stdout.trim().split("\n")[0] as string;
}
