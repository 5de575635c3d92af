import { groundSpeed } from "../../simvehicle/kinematics";
import type { Severity } from "../../simvehicle/reports";
import { type ServedVehicle, type SimulatedVehicleOptions, startSimulator } from "../../simvehicle/simulator";

const HOST = "127.0.0.1";
const ZURICH = { lat: 47.397742, lng: 8.545594, altitude: 488 };

/** An ArduPilot vehicle with system id 1, on a free port, that may be armed at once, unless it is told otherwise. */
export interface TestVehicleOptions extends Partial<SimulatedVehicleOptions> {
  readonly kind: SimulatedVehicleOptions["kind"];
  /** Parameters other than the defaults. */
  readonly params?: Readonly<Record<string, number>>;
}

/** What a test knows of a simulated vehicle beside the messages on its ports. */
export class TestVehicle {
  readonly host = HOST;
  readonly port: number;
  readonly onboardPort: number | undefined;

  constructor(private readonly served: ServedVehicle) {
    this.port = served.ports[0].port;
    this.onboardPort = served.ports[1]?.port;
  }

  /** Whether a ground station is connected. */
  get connected(): boolean {
    return this.served.ports[0].connected;
  }

  /** The true state, at the moment it is read. */
  get state() {
    const { flight } = this.served.vehicle;
    return {
      armed: flight.armed,
      landed: flight.landed,
      mode: flight.mode.name,
      position: flight.position,
      /** Metres above home. */
      relativeAltitude: flight.relativeAltitude,
      groundSpeed: groundSpeed(flight.body),
      home: flight.home,
      /** The current order, numbered as on the wire, and how far the plan is. */
      mission: { seq: flight.run.seq, count: flight.mission.count, state: flight.run.state },
    };
  }

  param(name: string): number | undefined {
    return this.served.vehicle.flight.params.find(name)?.value;
  }

  /** As a flight leaves it that was broken off there. */
  setCurrentItem(seq: number): void {
    this.served.vehicle.flight.run.seq = seq;
  }

  /** Sends a status text (STATUSTEXT) by its MAV_SEVERITY. */
  say(severity: Severity, text: string): void {
    this.served.vehicle.flight.reports.text(severity, text);
  }

  /** Closes the ground station's connection; the port stays open. */
  disconnect(): void {
    this.served.ports[0].disconnect();
  }
}

export interface TestSimulator {
  /** The first of `vehicles`. */
  readonly vehicle: TestVehicle;
  readonly vehicles: readonly TestVehicle[];
  stop(): Promise<void>;
}

/** Simulated vehicles of the shipped simulator, and their true states. */
export async function startTestSimulator(
  vehicles: readonly [TestVehicleOptions, ...TestVehicleOptions[]],
  speedUp = 1,
): Promise<TestSimulator> {
  const simulator = await startSimulator({
    host: HOST,
    speedUp,
    vehicles: vehicles.map(({ params, ...options }) => ({
      ...{ autopilot: "ardupilot", home: ZURICH, systemId: 1, bootSeconds: 0, port: 0 },
      ...options,
    })),
  });
  for (const [at, { params = {} }] of vehicles.entries()) {
    for (const [name, value] of Object.entries(params)) {
      if (!simulator.vehicles[at]?.vehicle.flight.params.set(name, value))
        throw new Error(`The vehicle has no parameter ${name}`);
    }
  }
  const [first, ...others] = simulator.vehicles.map((served) => new TestVehicle(served));
  if (!first) throw new Error("The simulator started no vehicle.");
  return { vehicle: first, vehicles: [first, ...others], stop: () => simulator.stop() };
}
