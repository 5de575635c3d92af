import { type Clock, systemClock } from "../platform/process/clock";
import type { Flight } from "./flight";
import type { Autopilot, VehicleKind } from "./flight-state";
import type { GlobalPosition } from "./geo";
import { groundSpeed } from "./kinematics";
import { VehiclePort } from "./server";
import { SimVehicle } from "./vehicle";

/** Milliseconds between two steps of all vehicles. */
const TICK = 20;

export interface SimulatedVehicleOptions {
  readonly kind: VehicleKind;
  /** ardupilot by default. */
  readonly autopilot?: Autopilot;
  /** TCP; 0, the default, takes a free one. */
  readonly port?: number;
  /** A second TCP port, for the computer on board; 0 takes a free one, none is opened without it. */
  readonly onboardPort?: number;
  readonly home?: GlobalPosition;
  /** 1 by default, as autopilots are delivered. */
  readonly systemId?: number;
  /** Seconds of the vehicle's own time from power-on until it may be armed; 8 by default. */
  readonly bootSeconds?: number;
  /** Parameters other than the defaults. */
  readonly params?: Readonly<Record<string, number>>;
  /**
   * Where an ArduPilot vehicle keeps its DataFlash logs, a file for each flight. No two vehicles may share one.
   * Without it nothing is logged.
   */
  readonly logFolder?: string;
}

export interface SimulatorOptions {
  readonly host?: string;
  /** How much faster than life the vehicles fly and boot; links, rates and timeouts keep to the wall clock. */
  readonly speedUp?: number;
  readonly clock?: Clock;
  readonly vehicles: readonly SimulatedVehicleOptions[];
}

/** The truth about a simulated vehicle, at the moment it is read. */
export interface SimulatedVehicleState {
  readonly armed: boolean;
  readonly landed: boolean;
  readonly mode: string;
  readonly position: GlobalPosition;
  /** Metres above home. */
  readonly relativeAltitude: number;
  readonly groundSpeed: number;
  readonly home: GlobalPosition;
  /** The current order, numbered as on the wire, and how far the plan is. */
  readonly mission: { readonly seq: number; readonly count: number; readonly state: Flight["run"]["state"] };
  readonly batteryVolts: number;
  /** Seconds since power-on. */
  readonly time: number;
}

export interface SimulatedVehicle {
  readonly host: string;
  readonly port: number;
  /** The second port, when the vehicle was given one. */
  readonly onboardPort: number | undefined;
  readonly systemId: number;
  readonly state: SimulatedVehicleState;
  readonly connected: boolean;
  /** DataFlash logs of the flights that are over, oldest first. */
  readonly logs: readonly string[];
  param(name: string): number | undefined;
  /** Drop the connection once. */
  hangUp(): void;
}

export interface Simulator {
  readonly vehicles: readonly SimulatedVehicle[];
  stop(): Promise<void>;
}

const ZURICH: GlobalPosition = { lat: 47.397742, lng: 8.545594, altitude: 488 };
const BOOT_SECONDS = 8;

/** Start simulated vehicles, each with a TCP port of its own, all moved by one tick. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = "127.0.0.1", speedUp = 1, clock = systemClock } = options;
  const started: Started[] = [];
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    for (const { vehicle } of started) vehicle.recorder?.stop();
    await Promise.all(started.flatMap(({ ports }) => ports.map((port) => port.stop())));
  };
  const timer = setInterval(() => {
    const now = clock.now().getTime();
    for (const { vehicle } of started) vehicle.step(now, speedUp);
  }, TICK);
  try {
    for (const vehicle of options.vehicles) started.push(await startVehicle(vehicle, host, clock));
  } catch (error) {
    await stop();
    throw error;
  }
  return { vehicles: started.map((each) => facade(each, host)), stop };
}

interface Started {
  readonly vehicle: SimVehicle;
  /** The ground station's port, and the onboard one if there is one. Each gets all messages of the vehicle. */
  readonly ports: readonly [VehiclePort, ...VehiclePort[]];
}

async function startVehicle(options: SimulatedVehicleOptions, host: string, clock: Clock): Promise<Started> {
  const { kind, autopilot = "ardupilot", systemId = 1 } = options;
  const { port = 0, onboardPort, home = ZURICH, bootSeconds = BOOT_SECONDS, logFolder } = options;
  if (logFolder !== undefined && autopilot !== "ardupilot")
    throw new Error("Only ArduPilot vehicles write DataFlash logs");
  const vehicle: SimVehicle = new SimVehicle(
    { kind, autopilot, home, systemId, bootSeconds },
    (message) => {
      for (const each of ports) each.send(message);
    },
    clock.now().getTime(),
    logFolder,
  );
  for (const [name, value] of Object.entries(options.params ?? {})) {
    if (!vehicle.flight.params.set(name, value)) throw new Error(`The vehicle has no parameter ${name}`);
  }
  const ports: VehiclePort[] = [];
  const listen = (number: number): Promise<VehiclePort> =>
    VehiclePort.listen(
      { host, port: number, systemId },
      (message, from) => vehicle.receive(message, from),
      () => vehicle.listened(ports.some((each) => each.connected)),
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

function facade({ vehicle, ports: [port, onboard] }: Started, host: string): SimulatedVehicle {
  const { flight } = vehicle;
  return {
    host,
    port: port.port,
    onboardPort: onboard?.port,
    systemId: flight.options.systemId,
    get connected() {
      return port.connected;
    },
    get state() {
      return stateOf(flight);
    },
    get logs() {
      return vehicle.recorder?.files ?? [];
    },
    param: (name) => flight.params.find(name)?.value,
    hangUp: () => port.hangUp(),
  };
}

const stateOf = (flight: Flight): SimulatedVehicleState => ({
  armed: flight.armed,
  landed: flight.landed,
  mode: flight.mode.name,
  position: flight.position,
  relativeAltitude: flight.relativeAltitude,
  groundSpeed: groundSpeed(flight.body),
  home: flight.home,
  mission: { seq: flight.run.seq, count: flight.mission.count, state: flight.run.state },
  batteryVolts: flight.battery.volts,
  time: flight.time,
});
