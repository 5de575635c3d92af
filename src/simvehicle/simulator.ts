import type { FlightOptions } from "./flight-state";
import { VehiclePort } from "./server";
import { SimVehicle } from "./vehicle";

const TICK_MS = 20;

export interface SimulatedVehicleOptions extends FlightOptions {
  /** TCP; 0 takes a free one. */
  readonly port: number;
  /** A second TCP port, for the computer on board; 0 takes a free one, none is opened without it. */
  readonly onboardPort?: number;
  /**
   * Where an ArduPilot vehicle keeps its DataFlash logs, a file for each flight. No two vehicles may share one.
   * Without it nothing is logged.
   */
  readonly logFolder?: string;
}

interface SimulatorOptions {
  readonly host: string;
  /** How much faster than real time the vehicles fly and boot; links, rates and timeouts keep to the wall clock. */
  readonly speedUp: number;
  readonly vehicles: readonly SimulatedVehicleOptions[];
}

export interface ServedVehicle {
  readonly vehicle: SimVehicle;
  /** The ground station's port, and the onboard one if there is one. Each gets all messages of the vehicle. */
  readonly ports: readonly [VehiclePort, ...VehiclePort[]];
}

interface Simulator {
  readonly vehicles: readonly ServedVehicle[];
  stop(): Promise<void>;
}

/** Start simulated vehicles, each with a TCP port of its own, all moved by one tick. */
export async function startSimulator({ host, speedUp, vehicles }: SimulatorOptions): Promise<Simulator> {
  const started: ServedVehicle[] = [];
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    for (const { vehicle } of started) vehicle.recorder?.stop();
    await Promise.all(started.flatMap(({ ports }) => ports.map((port) => port.stop())));
  };
  const timer = setInterval(() => {
    const now = Date.now();
    for (const { vehicle } of started) vehicle.step(now, speedUp);
  }, TICK_MS);
  try {
    for (const options of vehicles) started.push(await startVehicle(options, host));
  } catch (error) {
    await stop();
    throw error;
  }
  return { vehicles: started, stop };
}

async function startVehicle(options: SimulatedVehicleOptions, host: string): Promise<ServedVehicle> {
  const { autopilot, systemId, port, onboardPort, logFolder } = options;
  if (logFolder !== undefined && autopilot !== "ardupilot")
    throw new Error("Only ArduPilot vehicles write DataFlash logs");
  const vehicle: SimVehicle = new SimVehicle(
    options,
    (message) => {
      for (const each of ports) each.send(message);
    },
    Date.now(),
    logFolder,
  );
  const ports: VehiclePort[] = [];
  const listen = (number: number): Promise<VehiclePort> =>
    VehiclePort.listen(
      { host, port: number, systemId },
      (message, from) => vehicle.receive(message, from),
      () => vehicle.setConnected(ports.some((each) => each.connected)),
    );
  const ground = await listen(port);
  ports.push(ground);
  if (onboardPort === undefined) return { vehicle, ports: [ground] };
  try {
    const onboard = await listen(onboardPort);
    ports.push(onboard);
    return { vehicle, ports: [ground, onboard] };
  } catch (error) {
    await ground.stop();
    throw error;
  }
}
