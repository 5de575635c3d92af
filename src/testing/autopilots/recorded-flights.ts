import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { distance, type LatLng, offsetBy } from "../../domain/geo";
import type { FlightStats } from "../../flight-log";
import { FlightRecord } from "../../onboard/flight-record";
import { DroneGateway } from "../../onboard/gateway";
import { createLogger } from "../../platform/process/log";
import { packageRoot } from "../../platform/process/version";
import { atEndOfFile } from "../clean-up";
import { until } from "../until";
import { isPx4, isRover } from "./autopilot";
import { startVehicle, type TestedVehicle } from "./tested-vehicle";
import type { Witness } from "./witness";

/** MAV_SYS_STATUS_PREARM_CHECK. */
const PREARM_CHECK = 0x10000000;
const HEIGHT = 12;

/** A flight in a log as pymavlink or pyulog reads it. */
export interface PeerFigures {
  readonly duration: number;
  readonly distance: number;
  readonly max_altitude: number;
  readonly min_voltage: number;
  /** Milliampere hours of ArduPilot, per cent of PX4. */
  readonly used: number;
  readonly failsafes: number;
  readonly is_over: boolean;
}

/** An execution's statistics, and the flights that the peer finds in the same log. */
export interface RecordedFlight {
  readonly stats: FlightStats;
  readonly peer: readonly PeerFigures[];
  /** The name and the content of the log that was uploaded. */
  readonly log: string;
  readonly bytes: Buffer;
}

/** A vehicle whose flights are recorded by the agent's record at speed 1, since GPS time must be the wall clock's. */
export class RecordedFlights {
  private constructor(
    readonly vehicle: TestedVehicle,
    private readonly record: FlightRecord,
    private readonly timer: NodeJS.Timeout,
  ) {}

  /** The record learns of arming from the witness: ArduPilot's simulator has no third port for an agent. */
  static async of(...args: Parameters<typeof startVehicle>): Promise<RecordedFlights> {
    const [name] = args;
    const vehicle = await startVehicle(name, { speed: 1, env: { WORKER_IN_PROCESS: "true" } });
    const { witness, gateway, droneId, autopilot } = vehicle;
    const { ip } = await gateway.deps.db("drones").where({ id: droneId }).first("ip");
    const record = new FlightRecord({
      gateway: new DroneGateway(gateway.url, ip),
      logFolder: join(autopilot.state, isPx4(name) ? "log" : "logs"),
      log: createLogger("test", "warn"),
    });
    const observe = () =>
      void witness.seen().then(
        (seen) => record.observe(seen?.armed),
        () => undefined,
      );
    const timer = setInterval(observe, 500);
    atEndOfFile(async () => clearInterval(timer));
    return new RecordedFlights(vehicle, record, timer);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.record.stop();
    await this.vehicle.stop();
  }

  /** So many metres out and back; resolves when it is disarmed. It lands by `land`, an order without one. */
  async fly(metres: number, land?: () => Promise<void>): Promise<void> {
    const { name, witness, order } = this.vehicle;
    const { lat, lng } = await witness.fresh();
    const home = { lat, lng };
    // A refused arming would open ArduPilot's log, too.
    if (!isPx4(name)) await witness.until("GUIDED", async () => (await order("guided")).status === 200);
    await this.readyToArm();
    const armed = await order("arm");
    if (armed.status !== 200) throw new Error(`It was not armed: ${JSON.stringify(armed.body)}`);
    await this.armedIs(true);
    if (!isRover(name)) {
      await order("takeoff", { altitude: HEIGHT });
      await witness.until("the height", async () => (await witness.fresh()).relativeAltitude > HEIGHT - 1);
    }
    for (const to of metres > 0 ? [offsetBy(home, metres, metres / 2), home] : []) {
      await order("goto_gps_location", { ...to, altitude: HEIGHT });
      await arrival(witness, to);
    }
    if (land) await land();
    else await order(isRover(name) ? "disarm_drone" : "land");
    await this.armedIs(false);
  }

  /** The last flight, once its log is uploaded and analysed. Throws when its agent uploaded none or more than one. */
  async last(): Promise<RecordedFlight> {
    const { api, droneId, autopilot, name } = this.vehicle;
    await until(() => this.record.open === 0, 120_000);
    const { data } = (await api.get(`/executions/vehicle/${droneId}?limit=1`)).body;
    const { id } = data.executions[0];
    const stats = await until(async () => {
      const { body } = await api.get(`/executions/${id}/flight-stats`);
      return body.data?.status === "ready" && (body.data.stats as FlightStats);
    });
    const { assets } = (await api.get(`/executions/${id}`)).body.data;
    // The gateway's own record of the link is an asset, too.
    const logs = assets.filter(({ recorded }: { recorded: boolean }) => !recorded);
    if (logs.length !== 1) throw new Error(`Not one log: ${JSON.stringify(assets)}`);
    const [{ file_name, size }] = logs;
    const folder = join(autopilot.state, isPx4(name) ? "log" : "logs");
    const path = readdirSync(folder, { recursive: true }).find((file) => basename(`${file}`) === file_name);
    const bytes = readFileSync(join(folder, `${path}`)).subarray(0, size);
    return { stats, peer: await figuresOf(bytes, file_name), log: file_name, bytes };
  }

  private armedIs(armed: boolean) {
    const { witness } = this.vehicle;
    const what = armed ? "the arming" : "the disarming";
    return witness.until(what, async () => (await witness.fresh()).armed === armed, 120);
  }

  /** In the mode that it is in now. */
  private async readyToArm(): Promise<void> {
    const { witness } = this.vehicle;
    const from = (await witness.now()) + 1;
    await witness.until("that it may be armed", async () => {
      const [status] = (await witness.since("SYS_STATUS", from)).slice(-1);
      return (Number(status?.onboard_control_sensors_health) & PREARM_CHECK) !== 0;
    });
  }
}

/** The rover of PX4's simulator drives at 1 m/s, and time is life's in it. */
const ARRIVAL_SECONDS = 150;

/** Resolves when the vehicle is there, within 5.5 m; rejects with the metres that it is away. */
export async function arrival(witness: Witness, to: LatLng): Promise<void> {
  const away: number[] = [];
  const isThere = async () => {
    away.push(Math.round(distance(await witness.fresh(), to)));
    return (away.at(-1) ?? Number.NaN) < 5.5;
  };
  await witness.until("the place", isThere, ARRIVAL_SECONDS).catch(({ message }) => {
    throw new Error(`${message} It was ${away.join(", ")} m away.`);
  });
}

async function figuresOf(log: Buffer, name: string): Promise<PeerFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "figures-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, log);
    const script = join(packageRoot, ".ci/peers/flight_figures.py");
    const { stdout } = await promisify(execFile)(process.env.PEERS_PYTHON as string, [script, path]);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Figures of ours that are more than 1 % beside the peer's, in words. Small ones may differ by the floor. */
export function differences(px4: boolean, stats: FlightStats, peer: PeerFigures | undefined): string[] {
  if (!peer) return ["The peer found no such flight."];
  const { battery } = stats;
  const rows = [
    ["seconds", stats.duration_seconds, peer.duration, 0.1],
    ["metres", stats.distance_m, peer.distance, 1],
    ["metres of height", stats.max_altitude_m, peer.max_altitude, 0.05],
    ["volts", battery?.min_voltage_v, peer.min_voltage, 0.01],
    ["of the battery", px4 ? battery?.used_percent : battery?.used_mah, peer.used, 1],
    ["failsafes", stats.failsafes, peer.failsafes, 0],
  ] as const;
  return rows
    .filter(([, ours, theirs, floor]) => {
      const most = Math.max(floor, Math.abs(theirs) * 0.01);
      return !(Math.abs((ours ?? Number.NaN) - theirs) <= most);
    })
    .map(([what, ours, theirs]) => `${ours} ${what}, the peer ${theirs}`);
}
