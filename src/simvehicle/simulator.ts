import type { MavLinkData } from "../vehicle/mavlink/wire/messages";
import type { FlightOptions } from "./flight-state";
import { VehiclePort } from "./server";
import { SimVehicle } from "./vehicle";

const TICK_MS = 20;
/** A vehicle that is landed and that no ground station was connected to for as long is removed. */
const IDLE_MS = 600_000;

export interface SimulatedVehicleOptions extends FlightOptions {
  /** TCP; 0 takes a free one. */
  readonly port: number;
  /** A second TCP port, for the computer on board; 0 takes a free one. Absent: no second port. */
  readonly onboardPort?: number;
  /**
   * Where the vehicle keeps its logs: ArduPilot's `00000001.BIN` (DataFlash), PX4's `log/2026-05-01/10_20_30.ulg` (ULog).
   * No two vehicles may share one. Without it nothing is logged.
   */
  readonly logFolder?: string;
}

interface SimulatorOptions {
  readonly host: string;
  /** How much faster than real time the vehicles fly and boot; links, rates and timeouts keep to the wall clock. */
  readonly speedUp: number;
  readonly vehicles: readonly SimulatedVehicleOptions[];
}

interface Simulator {
  readonly vehicles: readonly ServedVehicle[];
  stop(): Promise<void>;
}

/** Listen for each vehicle on a TCP port of its own. All are moved by one tick. */
export async function startSimulator({ host, speedUp, vehicles }: SimulatorOptions): Promise<Simulator> {
  const started: ServedVehicle[] = [];
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all(started.map((served) => served.stop()));
  };
  const timer = setInterval(() => {
    const now = Date.now();
    for (const served of started) served.step(now, speedUp);
  }, TICK_MS);
  try {
    for (const options of vehicles) started.push(await ServedVehicle.listen(options, host));
  } catch (error) {
    await stop();
    throw error;
  }
  return { vehicles: started, stop };
}

/**
 * A vehicle and its ports. It is made when the first ground station connects, and removed when it was left alone: the
 * next station finds one that was just powered on, at home.
 */
export class ServedVehicle {
  private current: SimVehicle | undefined;
  private leftAt = 0;
  private readonly opened: VehiclePort[] = [];

  private constructor(private readonly options: SimulatedVehicleOptions) {}

  static async listen(options: SimulatedVehicleOptions, host: string): Promise<ServedVehicle> {
    const { systemId, port, onboardPort } = options;
    const served = new ServedVehicle(options);
    try {
      for (const number of onboardPort === undefined ? [port] : [port, onboardPort]) {
        const opened = await VehiclePort.listen(
          { host, port: number, systemId },
          (message, from) => served.vehicle.receive(message, from),
          () => served.connectionChanged(),
        );
        served.opened.push(opened);
      }
    } catch (error) {
      await served.stop();
      throw error;
    }
    return served;
  }

  /** The ground station's port, and the onboard one if there is one. Each gets all messages of the vehicle. */
  get ports(): readonly [VehiclePort, ...VehiclePort[]] {
    return this.opened as [VehiclePort, ...VehiclePort[]];
  }

  get vehicle(): SimVehicle {
    if (this.current) return this.current;
    this.leftAt = Date.now();
    const send = (message: MavLinkData) => {
      for (const port of this.opened) port.send(message);
    };
    this.current = new SimVehicle(this.options, send, this.leftAt, this.options.logFolder);
    return this.current;
  }

  step(now: number, speedUp: number): void {
    this.current?.step(now, speedUp);
    if (this.connected) this.leftAt = now;
    else if (this.current?.flight.landed && !this.current.flight.armed && now - this.leftAt > IDLE_MS)
      this.remove();
  }

  async stop(): Promise<void> {
    await Promise.all(this.opened.map((port) => port.stop()));
    this.remove();
  }

  private get connected(): boolean {
    return this.opened.some((port) => port.connected);
  }

  private connectionChanged(): void {
    if (this.connected) this.vehicle.setConnected(true);
    else this.current?.setConnected(false);
  }

  private remove(): void {
    this.current?.recorder?.stop();
    this.current = undefined;
  }
}
