import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, simulatorConfig } from "../src/platform/config";
import { type SimulatedVehicleOptions, startSimulator } from "../src/simvehicle";

/** Each vehicle of a fleet stands ten metres east of the one before. */
const APART_DEGREES = 0.000133;
/** Seconds of a vehicle's own time from power-on until it may be armed. */
const BOOT_SECONDS = 8;

type Model = Pick<SimulatedVehicleOptions, "kind" | "autopilot">;
const repeated = (count: number, model: Model): Model[] => Array.from({ length: count }, () => model);

async function main(): Promise<void> {
  const config = loadConfig(simulatorConfig);
  const [lat = 0, lng = 0, altitude = 0] = config.SIMULATOR_HOME.split(",").map(Number);
  const fleet = [
    ...repeated(config.SIMULATOR_COPTERS, { kind: "copter", autopilot: "ardupilot" }),
    ...repeated(config.SIMULATOR_ROVERS, { kind: "rover", autopilot: "ardupilot" }),
    ...repeated(config.SIMULATOR_PX4_COPTERS, { kind: "copter", autopilot: "px4" }),
  ];
  const logFolder = (at: number): string | undefined => {
    if (config.SIMULATOR_LOG_FOLDER === undefined || fleet[at]?.autopilot === "px4") return undefined;
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
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    simulator.stop().then(() => {
      // An open channel to the parent process would keep this process alive.
      if (process.connected) process.disconnect?.();
    });
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // The parent process has ended.
  process.on("disconnect", stop);

  const ports = simulator.vehicles.map(({ ports: [ground] }) => ground.port);
  console.log(JSON.stringify({ msg: "Simulated vehicles are listening", host: config.HOST, ports }));
  process.send?.({ ready: true, ports });
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
