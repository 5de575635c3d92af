import { DomainError } from "../../domain/errors";
import type { ByteStream } from "../byte-stream";
import { type CallName, type Calls, implementCalls } from "../calls";
import type { VehicleIdentity, VehicleLink } from "../link";
import type { StateFollower } from "../newest-state";
import { NO_RECORDS, type TransferRecords } from "../transfer-records";
import { Commands, type CommandTimings } from "./commands/commands";
import { Flight } from "./commands/flight";
import { ModeOrders, type ModeTimings } from "./commands/mode-orders";
import { MotorTest } from "./commands/motor-test";
import { Preconditions, type PreconditionTimings } from "./commands/preconditions";
import { Preflight } from "./commands/preflight";
import { Reposition, type RepositionTimings } from "./commands/reposition";
import { closeWithoutHeartbeat, sendHeartbeats } from "./heartbeat";
import { identifySender } from "./identity";
import { PlanReader } from "./missions/plan-reader";
import { PlanTransfer } from "./missions/plan-transfer";
import { Plans, type PlanTimings } from "./missions/plans";
import { Params } from "./params/params";
import { VehicleState } from "./state";
import { StatusTexts } from "./status-text";
import { reportState } from "./telemetry/newest-state";
import { Streams } from "./telemetry/streams";
import { Telemetry } from "./telemetry/telemetry";
import { Channel, type FrameTap, unreachable } from "./wire/channel";
import type { Retry } from "./wire/exchange";
import { FloodLimit, type LinkAllowance } from "./wire/flood-limit";
import { minimal } from "./wire/messages";

export interface MavlinkTimings {
  readonly command: CommandTimings;
  readonly param: Retry;
  readonly plan: PlanTimings;
  readonly flight: ModeTimings & RepositionTimings & PreconditionTimings;
  /** A vehicle that sends no heartbeat for this long is gone, whatever TCP reports. */
  readonly heartbeatTimeoutMs: number;
}

/**
 * Five tries bear a link that loses a tenth of its frames each way (one exchange in 3,500 fails). An order that is not
 * acknowledged ends within six seconds.
 */
export const DEFAULT_TIMINGS: MavlinkTimings = {
  command: {
    timeoutMs: 900,
    attempts: 5,
    timesyncMs: 300,
    settleMs: 300,
    progressMs: 30_000,
    statusTextMs: 700,
  },
  param: { timeoutMs: 1000, attempts: 5 },
  plan: { timeoutMs: 1500, attempts: 6, verdictMs: 1000, messageMs: 1500 },
  flight: {
    modeMs: 3500,
    messageMs: 1500,
    setpointAttempts: 3,
    targetMs: 1000,
    objectionMs: 1000,
    touchdownMs: 2500,
  },
  heartbeatTimeoutMs: 10_000,
};

export interface MavlinkOptions {
  /** Our own system id on the wire: 1 to 254. Never 255, whose heartbeats mask ArduPilot's failsafe. */
  readonly systemId: number;
  /** MAV_COMP_ID_MISSIONPLANNER, 190, by default. */
  readonly componentId?: number;
  readonly timings?: Partial<MavlinkTimings>;
  /** Asked before each chunk in either direction; when it says no, the link closes. */
  readonly mayUse?: (() => boolean) | undefined;
  /** What earlier links to the vehicle have left. */
  readonly allowance?: LinkAllowance;
  readonly tap?: FrameTap | undefined;
  readonly records?: TransferRecords | undefined;
  readonly follower?: StateFollower | undefined;
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
  const { systemId, componentId = GROUND_STATION_COMPONENT, mayUse, allowance, tap } = options;
  if (!Number.isInteger(systemId) || systemId < 1 || systemId > 254) {
    stream.close();
    throw new DomainError("invalid_input", "The MAVLink system id must be from 1 to 254.");
  }
  const flood = new FloodLimit(stream, allowance);
  const channel = new Channel(stream, { systemId, componentId }, mayUse, flood, tap);
  const setHeartbeats = sendHeartbeats(channel);
  try {
    const found = await findAutopilot(channel, signal);
    return createLink(channel, found, options, setHeartbeats);
  } catch (error) {
    channel.close("no vehicle was found");
    throw error;
  }
}

interface FoundAutopilot {
  readonly vehicle: VehicleIdentity;
  readonly heartbeat: minimal.Heartbeat;
  /** The heartbeat's frame. */
  readonly frame: Buffer;
}

function findAutopilot(channel: Channel, signal: AbortSignal) {
  return new Promise<FoundAutopilot>((resolve, reject) => {
    let unsupported: string | undefined;
    const finish = (act: () => void) => {
      for (const stop of unsubscribe) stop();
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
    const unsubscribe = [
      channel.on(minimal.Heartbeat, (heartbeat, frame) => {
        const sender = identifySender(heartbeat, frame);
        if (sender.is === "unsupported") unsupported = sender.why;
        if (sender.is !== "vehicle") return;
        // At once: the frames that follow in the same chunk are filtered by it.
        channel.vehicle = sender.identity;
        const bytes = Buffer.from(frame.bytes);
        finish(() => resolve({ vehicle: sender.identity, heartbeat, frame: bytes }));
      }),
    ];
    unsubscribe.push(channel.onClose((reason) => finish(() => reject(unreachable(reason)))));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** The MAVLink 2 adapter: the parts of one vehicle's link, put together. */
function createLink(
  channel: Channel,
  { vehicle, heartbeat, frame }: FoundAutopilot,
  { timings: changed, records = NO_RECORDS, follower }: MavlinkOptions,
  setHeartbeats: (on: boolean) => void,
): VehicleLink {
  const timings: MavlinkTimings = { ...DEFAULT_TIMINGS, ...changed };
  const texts = new StatusTexts(channel);
  const state = new VehicleState(channel, vehicle, heartbeat);
  const commands = new Commands(channel, texts, timings.command);
  const params = new Params(channel, vehicle, timings.param);
  const reader = new PlanReader(channel, vehicle.autopilot, timings.plan);
  const transfer = new PlanTransfer(channel, reader, texts, timings.plan);
  const plans = new Plans({ transfer, vehicle, state, params, commands, texts, records }, timings.plan);
  void plans.finishTransfers();
  const preflight = new Preflight(channel, vehicle, commands, state, texts, timings.command);
  const preconditions = new Preconditions(vehicle, commands, state, timings.flight);
  const modes = new ModeOrders(channel, vehicle, commands, state, timings.flight, plans);
  const reposition = new Reposition(
    { channel, vehicle, commands, state, modes, preconditions, texts },
    timings.flight,
  );
  const motorTest = new MotorTest(vehicle, commands, params, state, preconditions);
  const flight = new Flight({ vehicle, commands, state, preflight, preconditions, modes }, timings.flight);
  const telemetry = new Telemetry(channel, texts, state, vehicle, params);
  const streams = new Streams(channel, vehicle, commands);
  if (follower) reportState(follower, channel, state, vehicle);
  const { tap } = channel;
  if (tap) {
    tap.armed(state.armed, frame);
    channel.on(minimal.Heartbeat, (_, { bytes }) => tap.armed(state.armed, bytes));
  }
  let isClosed = false;
  channel.onClose(() => {
    isClosed = true;
    telemetry.stop();
  });
  closeWithoutHeartbeat(channel, timings.heartbeatTimeoutMs);

  const parts: { readonly [Name in CallName]: Pick<Calls, Name> } = {
    arm: flight,
    disarm: flight,
    takeoff: flight,
    motorTest,
    move: reposition,
    setMode: modes,
    land: modes,
    goTo: reposition,
    preflightFailures: preflight,
    uploadMission: plans,
    readMission: plans,
    rewindMission: plans,
    flightState: plans,
    uploadFence: plans,
    readFence: plans,
    readParams: params,
    writeParam: params,
    pullParams: params,
  };
  const calls = implementCalls((name, { repeatable }) => {
    const part = parts[name] as Record<CallName, (...args: unknown[]) => Promise<unknown>>;
    const call = part[name].bind(part);
    // An order that stays unanswered may close the link.
    return repeatable ? call : (...args) => commands.closeIfUnsettled(call(...args));
  });

  return {
    ...calls,
    vehicle,
    get state() {
      return isClosed ? "closed" : "ready";
    },
    onTelemetry(listener) {
      return isClosed ? () => {} : telemetry.on(listener);
    },
    setStreams(on) {
      if (on && !isClosed) streams.start();
      else streams.stop();
    },
    setHeartbeats,
    onClose: (listener) => void channel.onClose(listener),
    close: (reason) => channel.close(reason),
  };
}
