import { DomainError } from "../domain/errors";
import type { Logger } from "../platform/process/log";
import type { ByteStream, VehicleIdentity } from "../vehicle";
import { dialDirect } from "../vehicle/dialers/direct";
import { Commands } from "../vehicle/mavlink/commands/commands";
import { ModeOrders } from "../vehicle/mavlink/commands/mode-orders";
import { closeWithoutHeartbeat } from "../vehicle/mavlink/heartbeat";
import { identifySender } from "../vehicle/mavlink/identity";
import { VehicleState } from "../vehicle/mavlink/state";
import { StatusTexts } from "../vehicle/mavlink/status-text";
import { DEFAULT_TIMINGS } from "../vehicle/mavlink/timings";
import { Channel } from "../vehicle/mavlink/wire/channel";
import { type MavLinkData, minimal } from "../vehicle/mavlink/wire/messages";

/** MAV_COMP_ID_ONBOARD_COMPUTER. */
const COMPONENT_ID = 191;
const CONNECT_MS = 3_000;
const REDIAL_MS = 1_000;
/** Heartbeats come once a second. */
const HEARTBEAT_TIMEOUT_MS = 4_000;
/** The autopilot is near: a command without an acknowledgement is repeated soon. */
const COMMAND = {
  ...DEFAULT_TIMINGS.command,
  timeoutMs: 150,
  timesyncMs: 150,
  settleMs: 150,
  statusTextMs: 0,
};
const MODES = { ...DEFAULT_TIMINGS.flight, modeMs: 1_500 };

interface AutopilotOptions {
  readonly host: string;
  readonly port: number;
  /** The ground station that the vehicle takes sticks from. */
  readonly systemId: number;
  readonly log: Logger;
  /** Called at every heartbeat, and when the link ends. */
  readonly onChange: () => void;
}

interface Open {
  readonly channel: Channel;
  readonly vehicle: VehicleIdentity;
  readonly state: VehicleState;
  readonly modes: ModeOrders;
}

/**
 * The link to the autopilot on board, kept open.
 *
 * It never sends a heartbeat: with the ground station's system id that would tell the vehicle's failsafe that a pilot is
 * there. The stick frames themselves show that.
 */
export class Autopilot {
  private open: Open | undefined;
  private channel: Channel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();
  private isFailureLogged = false;

  constructor(private readonly options: AutopilotOptions) {
    void this.dial();
  }

  get vehicle(): VehicleIdentity | undefined {
    return this.open?.vehicle;
  }

  /** Undefined without a link. */
  get mode(): string | undefined {
    return this.open?.state.mode;
  }

  get armed(): boolean | undefined {
    return this.open?.state.armed;
  }

  /** False when there is no link to send it on. */
  send(message: MavLinkData): boolean {
    this.open?.channel.send(message);
    return this.open !== undefined;
  }

  /** Rejects with a `DomainError` when there is no link, or the vehicle refuses the mode. */
  async setMode(mode: string): Promise<void> {
    if (!this.open) throw new DomainError("vehicle_unreachable", "The autopilot is not connected.");
    await this.open.modes.setMode(mode);
  }

  stop(): void {
    this.ended.abort();
    clearTimeout(this.timer);
    this.channel?.close("the agent stops");
  }

  private async dial(): Promise<void> {
    const { host, port, log } = this.options;
    const limit = AbortSignal.any([this.ended.signal, AbortSignal.timeout(CONNECT_MS)]);
    try {
      const stream = await dialDirect({ key: "autopilot", host, port, via: "direct" }, limit);
      this.isFailureLogged = false;
      this.use(stream);
    } catch (error) {
      if (!this.isFailureLogged) log.warn({ err: error }, "Cannot connect to the autopilot; retrying");
      this.isFailureLogged = true;
      this.redial();
    }
  }

  private redial(): void {
    if (this.ended.signal.aborted) return;
    this.timer = setTimeout(() => void this.dial(), REDIAL_MS);
  }

  private use(stream: ByteStream): void {
    const { systemId, log, onChange } = this.options;
    const channel = new Channel(stream, { systemId, componentId: COMPONENT_ID });
    this.channel = channel;
    closeWithoutHeartbeat(channel, HEARTBEAT_TIMEOUT_MS);
    channel.on(minimal.Heartbeat, (heartbeat, frame) => {
      if (!this.open) {
        const source = identifySender(heartbeat, frame);
        if (source.is !== "vehicle") return;
        channel.vehicle = source.identity;
        this.open = openLink(channel, source.identity, heartbeat);
        log.info({ vehicle: source.identity }, "Connected to the autopilot");
      }
      // After the state has read the same heartbeat.
      queueMicrotask(onChange);
    });
    channel.onClose((reason) => {
      this.open = undefined;
      log.warn({ reason }, "Lost the connection to the autopilot");
      onChange();
      this.redial();
    });
  }
}

function openLink(channel: Channel, vehicle: VehicleIdentity, heartbeat: minimal.Heartbeat): Open {
  const commands = new Commands(channel, new StatusTexts(channel), COMMAND);
  const state = new VehicleState(channel, vehicle, heartbeat);
  return { channel, vehicle, state, modes: new ModeOrders(channel, vehicle, commands, state, MODES) };
}
