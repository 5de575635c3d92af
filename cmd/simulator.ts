import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, simulatorConfig } from "../src/platform/config";
import { Lifecycle, runProcess, stopOnSignals } from "../src/platform/process/lifecycle";
import { createLogger } from "../src/platform/process/log";
import { type SimulatedVehicleOptions, startSimulator } from "../src/simvehicle";

/** Each vehicle of a fleet stands ten metres east of the one before. */
const APART_DEGREES = 0.000133;
/** Seconds of a vehicle's own time from power-on until it may be armed. */
const BOOT_SECONDS = 8;
/** Longest time for the vehicles to close their ports and logs. */
const STOP_MS = 3_000;

type Model = Pick<SimulatedVehicleOptions, "kind" | "autopilot">;
const repeated = (count: number, model: Model): Model[] => Array.from({ length: count }, () => model);

runProcess(async () => {
  const config = loadConfig(simulatorConfig);
  const log = createLogger("simulator", config.LOG_LEVEL);
  const [lat = 0, lng = 0, altitude = 0] = config.SIMULATOR_HOME.split(",").map(Number);
  const fleet = [
    ...repeated(config.SIMULATOR_COPTERS, { kind: "copter", autopilot: "ardupilot" }),
    ...repeated(config.SIMULATOR_ROVERS, { kind: "rover", autopilot: "ardupilot" }),
    ...repeated(config.SIMULATOR_PX4_COPTERS, { kind: "copter", autopilot: "px4" }),
  ];
  const logFolder = (at: number): string | undefined => {
    if (config.SIMULATOR_LOG_FOLDER === undefined) return undefined;
    const folder = join(config.SIMULATOR_LOG_FOLDER, String(at + 1));
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const simulator = await startSimulator({
    host: config.HOST,
    speedUp: config.SIMULATOR_SPEEDUP,
    vehicles: fleet.map((vehicle, at) => ({
      ...vehicle,
      systemId: 1,
      bootSeconds: BOOT_SECONDS,
      port: config.SIMULATOR_PORT === 0 ? 0 : config.SIMULATOR_PORT + at,
      onboardPort: config.SIMULATOR_ONBOARD_PORT === 0 ? undefined : config.SIMULATOR_ONBOARD_PORT + at,
      logFolder: logFolder(at),
      home: { lat, lng: lng + at * APART_DEGREES, altitude },
    })),
  });
  const lifecycle = new Lifecycle(log, STOP_MS);
  lifecycle.onClose("vehicles", () => simulator.stop());
  stopOnSignals(lifecycle, log);

  const ports = simulator.vehicles.map(({ ports: [ground] }) => ground.port);
  log.info({ host: config.HOST, ports }, "Simulated vehicles are listening");
  process.send?.({ ready: true, ports });
});
