import { performance } from "node:perf_hooks";
import { DomainError } from "../../domain/errors";
import type { MissionItem } from "../../domain/mission-item";
import type { ByteStream } from "../byte-stream";
import type { LinkState, TelemetryMessage, VehicleIdentity, VehicleLink } from "../link";
import { Commands, type CommandTimings } from "./commands/commands";
import { Flight, type FlightTimings } from "./commands/flight";
import { announce } from "./heartbeat";
import { recogniseHeartbeat } from "./identity";
import { PlanTransfer } from "./missions/plan-transfer";
import { Plans } from "./missions/plans";
import { Params } from "./params/params";
import { VehicleState } from "./state";
import { StatusTexts } from "./status-text";
import { Streams } from "./telemetry/streams";
import { Telemetry } from "./telemetry/telemetry";
import { Channel } from "./wire/channel";
import type { Patience } from "./wire/exchange";
import { minimal } from "./wire/messages";

export interface MavlinkTimings {
  readonly command: CommandTimings;
  readonly param: Patience;
  readonly plan: Patience;
  readonly flight: FlightTimings;
  /** A vehicle that sends no heartbeat for this long is gone, whatever TCP thinks. */
  readonly silenceMs: number;
}

/**
 * Five tries bear a link that loses a tenth of its frames each way (one exchange in 3,500 fails). An order that is not
 * acknowledged ends within six seconds.
 */
export const DEFAULT_TIMINGS: MavlinkTimings = {
  command: {
    timeoutMs: 900,
    attempts: 5,
    echoMs: 300,
    settleMs: 300,
    progressMs: 30_000,
    explanationMs: 700,
  },
  param: { timeoutMs: 1000, attempts: 5 },
  plan: { timeoutMs: 1500, attempts: 6 },
  flight: { modeMs: 3500, messageMs: 1500, setpointAttempts: 3, targetMs: 1000 },
  silenceMs: 10_000,
};

export interface MavlinkOptions {
  /** Our own system id on the wire: 1 to 254. Never 255, whose heartbeats mask ArduPilot's failsafe. */
  readonly systemId: number;
  /** MAV_COMP_ID_MISSIONPLANNER, 190, by default. */
  readonly componentId?: number;
  readonly timings?: Partial<MavlinkTimings>;
}

const GROUND_STATION_COMPONENT = 190;

/**
 * Opens a link over a connected stream: waits for the autopilot's heartbeat and follows that autopilot.
 *
 * Rejects with `vehicle_unreachable` when the stream ends first, and with `not_supported` or
 * `vehicle_unreachable` when the signal aborts before a vehicle was recognised. A stream whose link did not
 * open is closed.
 */
export async function openMavlinkLink(
  stream: ByteStream,
  options: MavlinkOptions,
  signal: AbortSignal,
): Promise<VehicleLink> {
  const { systemId, componentId = GROUND_STATION_COMPONENT } = options;
  if (!Number.isInteger(systemId) || systemId < 1 || systemId > 254) {
    stream.close();
    throw new DomainError("invalid_input", "The MAVLink system id must be from 1 to 254.");
  }
  const channel = new Channel(stream, { systemId, componentId });
  announce(channel);
  try {
    const { identity, heartbeat } = await findAutopilot(channel, signal);
    return new MavlinkLink(channel, identity, heartbeat, { ...DEFAULT_TIMINGS, ...options.timings });
  } catch (error) {
    channel.close("no vehicle was found");
    throw error;
  }
}

function findAutopilot(channel: Channel, signal: AbortSignal) {
  return new Promise<{ identity: VehicleIdentity; heartbeat: minimal.Heartbeat }>((resolve, reject) => {
    let unsupported: string | undefined;
    const closed = channel.untilClosed();
    const finish = (act: () => void) => {
      stop();
      closed.release();
      signal.removeEventListener("abort", abort);
      act();
    };
    const abort = () =>
      finish(() =>
        reject(
          unsupported === undefined
            ? new DomainError(
                "vehicle_unreachable",
                "The connection is open but no autopilot's heartbeat came.",
              )
            : new DomainError("not_supported", `This vehicle cannot be flown from here: ${unsupported}.`),
        ),
      );
    const stop = channel.on(minimal.Heartbeat, (heartbeat, frame) => {
      const sighting = recogniseHeartbeat(heartbeat, frame);
      if (sighting.is === "unsupported") unsupported = sighting.why;
      if (sighting.is !== "vehicle") return;
      // At once: what follows in the same chunk must be judged by it.
      channel.vehicle = sighting.identity;
      finish(() => resolve({ identity: sighting.identity, heartbeat }));
    });
    closed.promise.catch((error) => finish(() => reject(error)));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** The MAVLink 2 adapter: one vehicle's conversation, its parts put together. */
class MavlinkLink implements VehicleLink {
  state: LinkState = "ready";
  private readonly commands: Commands;
  private readonly flight: Flight;
  private readonly plans: Plans;
  private readonly params: Params;
  private readonly telemetry: Telemetry;
  private readonly streams: Streams;

  constructor(
    private readonly channel: Channel,
    readonly vehicle: VehicleIdentity,
    heartbeat: minimal.Heartbeat,
    timings: MavlinkTimings,
  ) {
    const now = () => performance.now();
    const texts = new StatusTexts(channel);
    const state = new VehicleState(channel, vehicle, heartbeat);
    const commands = new Commands(channel, texts, timings.command);
    this.commands = commands;
    this.flight = new Flight(channel, vehicle, commands, state, timings.flight);
    this.params = new Params(channel, vehicle, timings.param);
    this.plans = new Plans(
      new PlanTransfer(channel, vehicle, texts, timings.plan),
      vehicle,
      state,
      this.params,
    );
    this.telemetry = new Telemetry(channel, texts, state, now);
    this.streams = new Streams(channel, vehicle, commands, now);
    channel.onClose(() => {
      this.state = "closed";
      this.telemetry.stop();
    });
    watchHeartbeat(channel, timings.silenceMs);
  }

  arm = () => this.commands.settle(this.flight.arm());
  disarm = () => this.commands.settle(this.flight.disarm());
  takeoff = (altitude: number) => this.commands.settle(this.flight.takeoff(altitude));
  land = () => this.commands.settle(this.flight.land());
  setMode = (mode: string | number) => this.commands.settle(this.flight.setMode(mode));
  motorTest = (motorId: number, percentage: number) =>
    this.commands.settle(this.flight.motorTest(motorId, percentage));
  move = (to: { x: number; y: number; z: number }) => this.commands.settle(this.flight.move(to));
  goTo = (to: { lat: number; lng: number; altitude: number }) => this.commands.settle(this.flight.goTo(to));

  uploadMission = (plan: readonly MissionItem[], { force = false }: { force?: boolean } = {}) =>
    this.commands.settle(this.plans.uploadMission(plan, force));
  readMission = () => this.plans.readMission();
  uploadFence = (fence: readonly MissionItem[]) => this.commands.settle(this.plans.uploadFence(fence));

  readParams = (names: readonly string[]) => this.params.read(names);
  writeParam = (name: string, value: number) => this.commands.settle(this.params.write(name, value));
  pullParams = () => this.params.pull();

  onTelemetry(listener: (message: TelemetryMessage) => void): () => void {
    if (this.state === "closed") return () => {};
    const stop = this.telemetry.on(listener);
    this.streams.start();
    return () => {
      stop();
      if (!this.telemetry.watched) this.streams.stop();
    };
  }

  onClose(listener: (reason: string) => void): void {
    this.channel.onClose(listener);
  }

  close(reason: string): void {
    this.channel.close(reason);
  }
}

function watchHeartbeat(channel: Channel, silenceMs: number): void {
  const timer = setTimeout(
    () => channel.close(`no heartbeat for ${Math.round(silenceMs / 1000)} s`),
    silenceMs,
  );
  channel.on(minimal.Heartbeat, () => timer.refresh());
  channel.onClose(() => clearTimeout(timer));
}
