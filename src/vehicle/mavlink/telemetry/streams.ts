import type { VehicleIdentity } from "../../link";
import { Command, type Commands } from "../commands/commands";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { ardupilotmega, common } from "../wire/messages";

/** Hertz per message. What the autopilot does not have, it denies, and nothing is lost. */
const RATES: readonly (readonly [{ readonly MSG_ID: number }, number])[] = [
  [common.GlobalPositionInt, 10],
  [common.VfrHud, 10],
  [common.AttitudeQuaternion, 10],
  [common.GpsRawInt, 5],
  [common.SysStatus, 1],
  [common.ExtendedSysState, 1],
  [common.HomePosition, 0.2],
];
const ARDUPILOT_RATES: typeof RATES = [
  [common.RawImu, 10],
  [ardupilotmega.EkfStatusReport, 1],
];
const PX4_RATES: typeof RATES = [
  [common.HighresImu, 10],
  [common.EstimatorStatus, 1],
];

/** MAV_DATA_STREAM_ALL, for autopilots without message intervals, at a rate that a radio link bears. */
const ALL_STREAMS = 0;
const ALL_STREAMS_HZ = 4;
/** No attitude for this long means that the vehicle has forgotten: it was restarted. */
const FORGOTTEN_MS = 5000;
const UNSUPPORTED = 3;

/**
 * Keeps the vehicle sending what telemetry is made of, for as long as it is wanted. An autopilot on TCP sends
 * little more than heartbeats unless asked, and forgets what was asked when it restarts.
 */
export class Streams {
  private timer: NodeJS.Timeout | undefined;
  private stopWatching = () => {};
  private lastHeardAt = 0;
  private asking = false;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    /** Monotonic milliseconds. */
    private readonly now: () => number,
  ) {
    channel.onClose(() => this.stop());
  }

  start(): void {
    if (this.timer) return;
    this.lastHeardAt = this.now();
    const heard = () => {
      this.lastHeardAt = this.now();
    };
    const stops = [
      this.channel.on(common.AttitudeQuaternion, heard),
      this.channel.on(common.Attitude, heard),
    ];
    this.stopWatching = () => {
      for (const stop of stops) stop();
    };
    this.timer = setInterval(() => {
      if (this.now() - this.lastHeardAt >= FORGOTTEN_MS) void this.ask();
    }, FORGOTTEN_MS / 2);
    void this.ask();
  }

  /** Only the watching ends: other stations on the vehicle's port may live on the same intervals. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.stopWatching();
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      if (!(await this.askForIntervals())) this.askForStreams();
      await this.commands.requestMessage(common.HomePosition.MSG_ID);
    } catch {
      // Nothing was acknowledged. The watch above asks again while nothing comes.
    } finally {
      this.asking = false;
    }
  }

  private async askForIntervals(): Promise<boolean> {
    const own = this.vehicle.autopilot === "px4" ? PX4_RATES : ARDUPILOT_RATES;
    for (const [{ MSG_ID }, hertz] of [...RATES, ...own]) {
      const outcome = await this.commands.ask("send telemetry", Command.setMessageInterval, [
        MSG_ID,
        Math.round(1e6 / hertz),
      ]);
      if (outcome.code === UNSUPPORTED && MSG_ID === common.GlobalPositionInt.MSG_ID) return false;
    }
    return true;
  }

  private askForStreams(): void {
    this.channel.send(
      build(common.RequestDataStream, {
        targetSystem: this.vehicle.systemId,
        targetComponent: this.vehicle.componentId,
        reqStreamId: ALL_STREAMS,
        reqMessageRate: ALL_STREAMS_HZ,
        startStop: 1,
      }),
    );
  }
}
