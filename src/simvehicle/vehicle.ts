import { build } from "../vehicle/mavlink/wire/codec";
import { common, Event, type MavLinkData, minimal } from "../vehicle/mavlink/wire/messages";
import { ardupilot } from "./commands/ardupilot";
import { type Call, type CommandContext, fromInt, fromLong, type Handler, Result } from "./commands/call";
import { px4 } from "./commands/px4";
import { DataFlashRecorder } from "./dataflash/recorder";
import { Flight } from "./flight";
import type { FlightOptions } from "./flight-state";
import type { FlightRecorder } from "./logging/flight-recorder";
import { MissionProtocol } from "./missions/mission-protocol";
import { type Mode, px4Mode } from "./modes";
import { ParamProtocol, type Sender } from "./params/param-protocol";
import { type Reports, Severity } from "./reports";
import { Arming } from "./safety/arming";
import { Failsafes } from "./safety/failsafes";
import { localSetpoint } from "./setpoints";
import { statusTexts } from "./status-text";
import { Streams } from "./streams";
import { hasMessage, type TelemetryView, telemetry } from "./telemetry/index";
import { UlogRecorder } from "./ulog/recorder";

const HEARTBEAT = 0;
const HEARTBEAT_EVERY = 1000;
const GLOBAL_POSITION_INT = 33;
const MISSION_CURRENT = 42;
const HOME_POSITION = 242;
const GPS_GLOBAL_ORIGIN = 49;
/** The autopilot's number in the upper 8 bits of an event's id. */
const AUTOPILOT_EVENTS = 1 << 24;
/** Longest step of flight, in seconds: a faster simulation takes several. */
const LONGEST_STEP = 0.05;
/** Milliseconds. A longer pause means that the computer was suspended, and the vehicle stands still meanwhile. */
const MAX_ELAPSED = 1000;

/** One simulated vehicle without sockets: it receives and sends messages, and flies. */
export class SimVehicle {
  readonly flight: Flight;
  /** Undefined when it keeps no log. */
  readonly recorder: FlightRecorder | undefined;
  private readonly arming: Arming;
  private readonly streams: Streams;
  private readonly failsafes: Failsafes;
  private readonly params: ParamProtocol;
  private readonly missions: MissionProtocol;
  private readonly context: CommandContext;
  private readonly handlers: Readonly<Record<number, Handler>>;
  private nextHeartbeat = Number.NEGATIVE_INFINITY;
  private nextText = 1;
  private nextEvent = 0;
  private hadPosition = false;
  private connected = false;
  /** Of the vehicle's own time, as GLOBAL_POSITION_INT carries it. */
  private positionSentAt: number | undefined;
  /** Where a PX4 rover drives, as POSITION_TARGET_GLOBAL_INT said last. */
  private targetSent: string | undefined;

  /** `send` gets every message that the vehicle sends. */
  constructor(
    options: FlightOptions,
    private readonly send: (message: MavLinkData) => void,
    private now: number,
    logFolder?: string,
  ) {
    this.flight = new Flight(options, this.reports());
    // A command may come before the first step.
    this.flight.now = now;
    this.arming = new Arming(this.flight);
    this.streams = new Streams(options.autopilot);
    this.failsafes = new Failsafes(this.flight);
    if (logFolder !== undefined) this.recorder = this.recorderInto(logFolder);
    this.params = new ParamProtocol(this.flight, send);
    this.missions = new MissionProtocol(this.flight, send);
    this.handlers = options.autopilot === "px4" ? px4 : ardupilot;
    this.context = {
      flight: this.flight,
      arming: this.arming,
      streams: this.streams,
      sendOnce: (id) => !this.isSent(id) && this.sendTelemetry(id),
      hasMessage: (id) => hasMessage(id, options.autopilot),
    };
  }

  /** Advance to `now` (wall clock, milliseconds), flying `speedUp` times as long as has passed. */
  step(now: number, speedUp: number): void {
    let left = (Math.min(Math.max(0, now - this.now), MAX_ELAPSED) / 1000) * speedUp;
    this.now = now;
    while (left > 1e-9) {
      const dt = Math.min(left, LONGEST_STEP);
      this.flight.step(dt, now);
      this.failsafes.step(now);
      this.recorder?.step(now);
      left -= dt;
    }
    this.missions.step(now);
    this.params.step();
    this.arming.remind(now);
    this.noteFix();
    if (now >= this.nextHeartbeat) {
      this.nextHeartbeat = Math.max(this.nextHeartbeat + HEARTBEAT_EVERY, now);
      this.sendTelemetry(HEARTBEAT);
    }
    if (!this.connected) return;
    for (const id of this.streams.take(now)) this.sendTelemetry(id);
  }

  /** A ground station has connected or disconnected. After the latter a parameter list ends, and message rates stay. */
  setConnected(connected: boolean): void {
    this.connected = connected;
    if (!connected) this.params.forget();
  }

  receive(message: MavLinkData, from: Sender): void {
    if (message instanceof minimal.Heartbeat) {
      this.failsafes.onHeartbeat(from.systemId, this.now);
      return;
    }
    if (!this.isForUs(message)) return;
    const { flight, missions, params, now } = this;
    if (message instanceof common.CommandLong) this.command(fromLong(message), from);
    else if (message instanceof common.CommandInt) this.command(fromInt(message), from);
    else if (message instanceof common.ParamRequestList) this.listParams();
    else if (message instanceof common.ParamRequestRead) params.read(message, from);
    else if (message instanceof common.ParamSet) params.set(message, from);
    else if (message instanceof common.MissionCount) missions.count(message, from, now);
    else if (message instanceof common.MissionItemInt) missions.item(message, from, now);
    else if (message instanceof common.MissionRequestList) missions.requestList(message, from, now);
    else if (message instanceof common.MissionRequestInt) missions.requestItem(message, from, now);
    else if (message instanceof common.MissionClearAll) missions.clearAll(message, from);
    else if (message instanceof common.MissionSetCurrent) {
      if (missions.setCurrent(message)) this.sendTelemetry(MISSION_CURRENT);
    } else if (message instanceof common.SetPositionTargetLocalNed) localSetpoint(flight, message);
    else if (message instanceof common.ManualControl) this.sticks(message, from);
    else if (message instanceof common.TimeSync) this.timesync(message);
  }

  private isForUs(message: MavLinkData): boolean {
    const system =
      "targetSystem" in message ? message.targetSystem : "target" in message ? message.target : 0;
    const component = "targetComponent" in message ? message.targetComponent : 0;
    const ours = system === 0 || system === this.flight.options.systemId;
    return ours && (component === 0 || component === 1);
  }

  private command(call: Call, from: Sender): void {
    const handler = this.handlers[call.command];
    this.acknowledge(call.command, handler ? handler(this.context, call) : Result.UNSUPPORTED, from);
  }

  /** ArduPilot takes this request as the first of a new station, and sends its banner. */
  private listParams(): void {
    const { autopilot, kind } = this.flight;
    this.params.list();
    if (autopilot === "px4") return;
    const name = kind === "copter" ? "ArduCopter" : "ArduRover";
    this.say(Severity.INFO, `${name} V4.7.0 (simulated)`);
    if (kind === "copter") this.say(Severity.INFO, "Frame: QUAD/PLUS");
  }

  private acknowledge(command: number, result: Result, to: Sender): void {
    this.send(
      build(common.CommandAck, {
        command,
        result,
        targetSystem: to.systemId,
        targetComponent: to.componentId,
      }),
    );
  }

  /** ArduPilot takes sticks from its own ground station only, and counts them as a sign of its life. */
  private sticks({ x, y, z, r }: common.ManualControl, from: Sender): void {
    const { flight, now } = this;
    if (flight.autopilot === "ardupilot" && from.systemId !== flight.tuning.groundStation) return;
    this.failsafes.onHeartbeat(from.systemId, now);
    const seconds = flight.params.get("RC_OVERRIDE_TIME", flight.params.get("COM_RC_LOSS_T", 0.5));
    // Thousandths; the throttle from 0 to 1000, but that ArduPilot's rovers also drive backwards.
    const bothWays = flight.autopilot === "ardupilot" && flight.kind === "rover";
    const throttle = bothWays ? z / 1000 : z / 500 - 1;
    flight.pilot.steer({ roll: y / 1000, pitch: x / 1000, throttle, yaw: r / 1000 }, now, seconds);
    if (flight.autopilot === "px4") this.takeOver();
  }

  /** A stick that moves in a mode that flies by itself leaves that mode (COM_RC_OVERRIDE). */
  private takeOver(): void {
    const { flight, now } = this;
    if (!flight.armed || !flight.mode.name.startsWith("AUTO_") || !flight.pilot.isMoving(now)) return;
    const steered = flight.modes.byNumber.get(px4Mode(3)) as Mode;
    this.say(Severity.INFO, "Pilot took over using sticks");
    flight.changeMode(steered);
  }

  private noteFix(): void {
    const { flight } = this;
    if (flight.hasPosition === this.hadPosition) return;
    this.hadPosition = flight.hasPosition;
    if (!this.hadPosition) return;
    if (flight.autopilot === "ardupilot") {
      this.say(Severity.INFO, "EKF3 IMU0 origin set");
      this.say(Severity.INFO, "EKF3 IMU0 is using GPS");
    }
    flight.reports.homeChanged();
  }

  private timesync(message: common.TimeSync): void {
    if (message.tc1 !== 0n) return;
    const nanoseconds = BigInt(Math.round(this.flight.time * 1e6)) * 1000n;
    this.send(build(common.TimeSync, { tc1: nanoseconds, ts1: message.ts1 }));
  }

  /** PX4 sends no position again that it has sent, until its next step makes a new one. */
  private isSent(id: number): boolean {
    const { autopilot, time } = this.flight;
    return autopilot === "px4" && id === GLOBAL_POSITION_INT && this.positionSentAt === time;
  }

  private sendTelemetry(id: number): boolean {
    // Home is where the first fix is.
    if (id === HOME_POSITION && !this.flight.hasPosition) return false;
    const message = telemetry(id, this.view());
    if (message instanceof common.PositionTargetGlobalInt && this.isSentTarget(message)) return false;
    if (message) this.send(message);
    if (id === GLOBAL_POSITION_INT) this.positionSentAt = this.flight.time;
    return message !== undefined;
  }

  /** A PX4 rover says once where it drives; others repeat it. */
  private isSentTarget({ latInt, lonInt }: common.PositionTargetGlobalInt): boolean {
    if (this.flight.autopilot !== "px4" || this.flight.kind !== "rover") return false;
    const before = this.targetSent;
    this.targetSent = `${latInt} ${lonInt}`;
    return before === this.targetSent;
  }

  private view(): TelemetryView {
    return {
      flight: this.flight,
      ready: this.arming.obstacles().length === 0,
      failsafe: this.failsafes.active,
    };
  }

  private reports(): Reports {
    return {
      text: (severity, text) => this.say(severity, text),
      event: (id, level, args) => this.sendEvent(id, level, args),
      itemReached: (seq) => this.send(build(common.MissionItemReached, { seq })),
      homeChanged: () => {
        this.sendTelemetry(HOME_POSITION);
        this.sendTelemetry(GPS_GLOBAL_ORIGIN);
      },
    };
  }

  private recorderInto(folder: string): FlightRecorder {
    const { flight, failsafes } = this;
    const complain = (text: string) => this.say(Severity.ERROR, text);
    return flight.autopilot === "px4"
      ? new UlogRecorder(flight, failsafes, folder, complain)
      : new DataFlashRecorder(flight, folder, complain);
  }

  private sendEvent(id: number, level: number, args: Buffer): void {
    const { flight } = this;
    this.send(
      build(Event, {
        id: AUTOPILOT_EVENTS + id,
        eventTimeBootMs: Math.round(flight.time * 1000),
        sequence: this.nextEvent,
        logLevels: (level << 4) | level,
        arguments: [...args],
      }),
    );
    this.nextEvent = (this.nextEvent + 1) & 0xffff;
  }

  private say(severity: Severity, text: string): void {
    for (const piece of statusTexts(severity, text, this.nextText)) this.send(piece);
    this.nextText = (this.nextText % 65_535) + 1;
    this.recorder?.text(severity, text);
  }
}
