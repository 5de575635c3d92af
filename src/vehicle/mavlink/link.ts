import { DomainError } from "../../domain/errors";
import type { ByteStream } from "../byte-stream";
import { type CallName, type Calls, implementCalls } from "../calls";
import type { TelemetryMessage, VehicleIdentity, VehicleLink } from "../link";
import type { StateFollower } from "../newest-state";
import { NO_RECORDS, type TransferRecords, type UnfinishedTransfer } from "../transfer-records";
import { Commands } from "./commands/commands";
import { closeWithoutHeartbeat, sendHeartbeats } from "./heartbeat";
import { identifySender } from "./identity";
import { createOrders, type LinkParts, type Orders } from "./orders";
import { Params } from "./params/params";
import { VehicleState } from "./state";
import { StatusTexts } from "./status-text";
import { reportState } from "./telemetry/newest-state";
import { Streams } from "./telemetry/streams";
import { Telemetry } from "./telemetry/telemetry";
import { DEFAULT_TIMINGS, type MavlinkTimings } from "./timings";
import { Channel, type FrameTap, unreachable } from "./wire/channel";
import { FloodLimit, type LinkAllowance } from "./wire/flood-limit";
import { minimal } from "./wire/messages";

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
    const { vehicle, heartbeat, frame } = await findAutopilot(channel, signal);
    const parts = partsOf(channel, vehicle, heartbeat, options);
    report(parts, frame, options.follower);
    closeWithoutHeartbeat(channel, parts.timings.heartbeatTimeoutMs);
    const link = new MavlinkLink(parts, setHeartbeats) as MavlinkLink & Calls;
    void link.finishTransfers();
    return link;
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

function partsOf(
  channel: Channel,
  vehicle: VehicleIdentity,
  heartbeat: minimal.Heartbeat,
  { timings: changed, records = NO_RECORDS }: MavlinkOptions,
): LinkParts {
  const timings = { ...DEFAULT_TIMINGS, ...changed };
  const texts = new StatusTexts(channel);
  const state = new VehicleState(channel, vehicle, heartbeat);
  const commands = new Commands(channel, texts, timings.command);
  const params = new Params(channel, vehicle, timings.param);
  return { channel, vehicle, state, texts, commands, params, records, timings };
}

/** To the follower and the record of the flight, from the first heartbeat on, whose frame is `first`. */
function report({ channel, state, vehicle }: LinkParts, first: Buffer, follower?: StateFollower): void {
  if (follower) reportState(follower, channel, state, vehicle);
  const { tap } = channel;
  if (!tap) return;
  tap.armed(state.armed, first);
  channel.on(minimal.Heartbeat, (_, { bytes }) => tap.armed(state.armed, bytes));
}

/** The MAVLink 2 adapter: the parts of one vehicle's link, put together. Its prototype has the calls of the table. */
class MavlinkLink {
  state: VehicleLink["state"] = "ready";
  private readonly telemetry: Telemetry;
  private readonly streams: Streams;
  private orders: Orders | undefined;
  /** Transfers that earlier links left, read at once. */
  private readonly unfinished: Promise<readonly UnfinishedTransfer[]>;

  constructor(
    private readonly parts: LinkParts,
    readonly setHeartbeats: VehicleLink["setHeartbeats"],
  ) {
    const { channel, texts, state, vehicle, params, commands, records } = parts;
    this.telemetry = new Telemetry(channel, texts, state, vehicle, params);
    this.streams = new Streams(channel, vehicle, commands);
    this.unfinished = records.unfinished();
    channel.onClose(() => {
      this.state = "closed";
      this.telemetry.stop();
    });
  }

  get vehicle(): VehicleIdentity {
    return this.parts.vehicle;
  }

  onTelemetry(listener: (message: TelemetryMessage) => void): () => void {
    return this.state === "closed" ? () => {} : this.telemetry.on(listener);
  }

  setStreams(on: boolean): void {
    if (on && this.state === "ready") this.streams.start();
    else this.streams.stop();
  }

  onClose(listener: (reason: string) => void): void {
    this.parts.channel.onClose(listener);
  }

  close(reason: string): void {
    this.parts.channel.close(reason);
  }

  call(name: CallName, args: unknown[], repeatable = false): Promise<unknown> {
    const answer = this.madeOrders().call(name, args);
    // An order that stays unanswered may close the link.
    return repeatable ? answer : this.parts.commands.closeIfUnsettled(answer);
  }

  /** What earlier links left. When it cannot be read now, it is finished with the first call. Never rejects. */
  async finishTransfers(): Promise<void> {
    const left = await this.unfinished.catch(() => []);
    if (left.length > 0) await this.madeOrders().plans.finishTransfers();
  }

  private madeOrders(): Orders {
    this.orders ??= createOrders(this.parts, this.unfinished);
    return this.orders;
  }
}

const calls = implementCalls(
  (name, { repeatable }) =>
    function (this: MavlinkLink, ...args) {
      return this.call(name, args, repeatable);
    },
);
Object.assign(MavlinkLink.prototype, calls);
