import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { build, decode, FrameWriter } from "../../src/vehicle/mavlink/wire/codec";
import { FrameReader } from "../../src/vehicle/mavlink/wire/frame-reader";
import { ardupilotmega, common, minimal } from "../../src/vehicle/mavlink/wire/messages";
import { machineNow, onSchedule } from "./now";

const SLICES = 10;
/** MAV_RESULT_ACCEPTED. */
const ACCEPTED = 0;

/** Where the drone's vehicle is: each has an address of its own, since one address is one drone's. */
export const hostOf = (drone: number): string => `127.1.${drone >> 8}.${drone & 255}`;

/**
 * Every connection is a copter of its own; the first `flying` of them send 59 messages a second, ten times a second and in
 * two parts, as ArduPilot sends the messages of one tick. The copters that send at the same moment send the same bytes.
 */
export class Vehicles {
  flying = 0;
  private away = false;
  private readonly copters: (Socket | undefined)[] = [];
  private readonly writers = Array.from({ length: SLICES }, () => new FrameWriter(1, 1));
  private slice = 0;
  private round = 0;

  constructor() {
    onSchedule(100 / SLICES, () => this.tick());
  }

  get connected(): number {
    return this.copters.filter(Boolean).length;
  }

  /** At the addresses of the drones 1 to `drones`, all on one port, which it returns. */
  async listen(drones: number): Promise<number> {
    let port = 0;
    for (let drone = 1; drone <= drones; drone++) {
      const server = createServer((socket) => this.admit(socket)).listen(port, hostOf(drone));
      await once(server, "listening");
      port = (server.address() as AddressInfo).port;
    }
    return port;
  }

  /** Whether all have left their links, and end those that are opened to them. */
  setAway(away: boolean): void {
    this.away = away;
    if (away) for (const copter of this.copters) copter?.destroy();
  }

  private admit(socket: Socket): void {
    if (this.away) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const writer = new FrameWriter(1, 1);
    // It accepts every command: a watched vehicle needs no more.
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (!(message instanceof common.CommandLong)) return;
      socket.write(writer.encode(build(common.CommandAck, { command: message.command, result: ACCEPTED })));
    });
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("error", () => socket.destroy());
    socket.write(writer.encode(heartbeat()));
    const free = this.copters.indexOf(undefined);
    const at = free < 0 ? this.copters.length : free;
    this.copters[at] = socket;
    socket.on("close", () => {
      this.copters[at] = undefined;
    });
  }

  private tick(): void {
    const { slice, round } = this;
    const writer = this.writers[slice] as FrameWriter;
    const bytesOf = (messages: readonly Parameters<FrameWriter["encode"]>[0][]) =>
      Buffer.concat(messages.map((message) => writer.encode(message)));
    const [isOnceASecond, isFiveTimes] = [round % 10 === 0, round % 2 === 0];
    const parts = [
      bytesOf([attitude()]),
      bytesOf([
        ...moving(),
        ...(isFiveTimes ? [receiver()] : []),
        ...(isOnceASecond ? [heartbeat(), ...health()] : []),
      ]),
    ];
    for (const part of parts) {
      for (let index = slice; index < this.flying; index += SLICES) this.copters[index]?.write(part);
    }
    const alive = isOnceASecond ? bytesOf([heartbeat()]) : undefined;
    for (let index = slice; alive && index < this.copters.length; index += SLICES) {
      if (index >= this.flying) this.copters[index]?.write(alive);
    }
    this.slice = (slice + 1) % SLICES;
    if (this.slice === 0) this.round += 1;
  }
}

/** Flags are plain numbers on the wire. */
const ARMED_GUIDED: number = 209;
const SENSORS: number = 0x200002f;
const EKF_GOOD: number = 831;
const position = { lat: 473_977_420, lon: 85_455_940 };

const attitude = () =>
  build(common.AttitudeQuaternion, {
    q1: 0.7,
    q2: 0.01,
    q3: 0.02,
    q4: 0.7,
    rollspeed: 0.011,
    pitchspeed: 0.022,
  });
/** The gateway has no use for the last one. */
const moving = () => [
  build(common.GlobalPositionInt, { ...position, alt: machineNow(), relativeAlt: 30_250, hdg: 12_300 }),
  build(common.VfrHud, {
    airspeed: 5.25,
    groundspeed: 5.125,
    heading: 123,
    throttle: 45,
    alt: 520.5,
    climb: 0.25,
  }),
  build(common.RawImu, { xacc: 12, yacc: 21, zacc: -1000 }),
  build(common.ServoOutputRaw, { servo1Raw: 1500, servo2Raw: 1510, servo3Raw: 1490, servo4Raw: 1505 }),
];
const receiver = () =>
  build(common.GpsRawInt, { ...position, fixType: 3, alt: 520_500, eph: 80, satellitesVisible: 15 });
const heartbeat = () =>
  build(minimal.Heartbeat, {
    type: 2,
    autopilot: 3,
    baseMode: ARMED_GUIDED,
    customMode: 4,
    systemStatus: 4,
    mavlinkVersion: 3,
  });
const health = () => {
  return [
    build(common.SysStatus, {
      onboardControlSensorsPresent: SENSORS,
      onboardControlSensorsEnabled: SENSORS,
      onboardControlSensorsHealth: SENSORS,
      load: 250,
      voltageBattery: 12_100,
      currentBattery: 1050,
      batteryRemaining: 80,
    }),
    build(ardupilotmega.EkfStatusReport, { flags: EKF_GOOD, velocityVariance: 0.1 }),
    build(common.ExtendedSysState, { landedState: 2 }),
  ];
};
