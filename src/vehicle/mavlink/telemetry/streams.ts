import type { VehicleIdentity } from "../../link";
import { Command, type Commands } from "../commands/commands";
import type { Channel } from "../wire/channel";
import { ardupilotmega, common } from "../wire/messages";

/** Hertz per message. An autopilot refuses the messages that it does not have. */
const RATES: readonly (readonly [{ readonly MSG_ID: number }, number])[] = [
  [common.GlobalPositionInt, 10],
  [common.VfrHud, 10],
  [common.AttitudeQuaternion, 10],
  [common.GpsRawInt, 5],
  [common.SysStatus, 1],
  [common.ExtendedSysState, 1],
  [common.HomePosition, 0.2],
  [common.MissionCurrent, 1],
  [common.BatteryStatus, 1],
];
const ARDUPILOT_RATES: typeof RATES = [
  [common.RawImu, 10],
  [ardupilotmega.EkfStatusReport, 1],
  [ardupilotmega.Wind, 1],
  [common.NavControllerOutput, 1],
];
const PX4_RATES: typeof RATES = [
  [common.HighresImu, 10],
  [common.EstimatorStatus, 1],
  [common.WindCov, 1],
  [common.PositionTargetGlobalInt, 1],
];

/** No attitude in one of these means that the vehicle was restarted and has lost its message intervals. */
const CHECK_MS = 2500;

/**
 * Keeps the vehicle sending the messages that telemetry needs, from its start to its stop. An autopilot on TCP sends
 * little more than heartbeats unless asked, and loses its message intervals when it restarts.
 */
export class Streams {
  private timer: NodeJS.Timeout | undefined;
  /** Of the wait for an attitude; empty when one came in this interval. */
  private waits: (() => void)[] = [];
  private requesting = false;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
  ) {
    channel.onClose(() => this.stop());
  }

  start(): void {
    if (this.timer) return;
    this.timer = setInterval(() => this.check(), CHECK_MS);
    this.awaitAttitude();
    void this.request();
  }

  /** Leaves the vehicle's intervals as they are: other stations on its port may depend on them. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.endWait();
  }

  private check(): void {
    if (this.waits.length > 0) void this.request();
    else this.awaitAttitude();
  }

  /** One in each interval is decoded, not all. */
  private awaitAttitude(): void {
    const came = () => this.endWait();
    this.waits = [this.channel.on(common.AttitudeQuaternion, came), this.channel.on(common.Attitude, came)];
  }

  private endWait(): void {
    for (const stop of this.waits.splice(0)) stop();
  }

  private async request(): Promise<void> {
    if (this.requesting) return;
    this.requesting = true;
    try {
      await this.requestIntervals();
      await this.commands.requestMessage(common.HomePosition.MSG_ID);
    } catch {
      // Nothing was acknowledged. The timer requests them again while no attitude comes.
    } finally {
      this.requesting = false;
    }
  }

  private async requestIntervals(): Promise<void> {
    const own = this.vehicle.autopilot === "px4" ? PX4_RATES : ARDUPILOT_RATES;
    for (const [{ MSG_ID }, hertz] of [...RATES, ...own]) {
      const params = [MSG_ID, Math.round(1e6 / hertz)] as const;
      await this.commands.send("send telemetry", Command.SET_MESSAGE_INTERVAL, params, {
        repeat: "always",
      });
    }
  }
}
