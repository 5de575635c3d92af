import { build, FrameWriter } from "../../vehicle/mavlink/wire/codec";
import { ardupilotmega, common, type MavLinkData, minimal } from "../../vehicle/mavlink/wire/messages";

/** A seeded generator of numbers from 0 up to 1 (mulberry32): the same seed, the same stream. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;

const between = (random: Random, least: number, most: number): number => least + (most - least) * random();
const whole = (random: Random, least: number, most: number): number =>
  Math.floor(between(random, least, most + 1));

/**
 * What a flying copter sends, with how often in a second each is sent: the telemetry set that the link asks
 * for, at its rates, and a text now and then.
 */
const MIX: readonly (readonly [number, (random: Random) => MavLinkData])[] = [
  [
    10,
    (r) =>
      build(common.GlobalPositionInt, {
        timeBootMs: whole(r, 0, 1e7),
        lat: whole(r, -9e8, 9e8),
        lon: whole(r, -18e8, 18e8),
        alt: whole(r, 0, 5e5),
        relativeAlt: whole(r, 0, 1e5),
        vx: whole(r, -500, 500),
        vy: whole(r, -500, 500),
        vz: whole(r, -200, 200),
        hdg: whole(r, 0, 35_999),
      }),
  ],
  [
    10,
    (r) =>
      build(common.AttitudeQuaternion, {
        timeBootMs: whole(r, 0, 1e7),
        q1: between(r, -1, 1),
        q2: between(r, -1, 1),
        q3: between(r, -1, 1),
        q4: between(r, -1, 1),
        rollspeed: between(r, -1, 1),
        pitchspeed: between(r, -1, 1),
        yawspeed: between(r, -1, 1),
      }),
  ],
  [
    10,
    (r) =>
      build(common.VfrHud, {
        airspeed: between(r, 0, 20),
        groundspeed: between(r, 0, 20),
        heading: whole(r, 0, 359),
        throttle: whole(r, 0, 100),
        alt: between(r, 0, 500),
        climb: between(r, -5, 5),
      }),
  ],
  [
    10,
    (r) =>
      build(common.RawImu, {
        timeUsec: BigInt(whole(r, 0, 2 ** 40)),
        xacc: whole(r, -2000, 2000),
        yacc: whole(r, -2000, 2000),
        zacc: whole(r, -2000, 2000),
        xgyro: whole(r, -900, 900),
        ygyro: whole(r, -900, 900),
        zgyro: whole(r, -900, 900),
      }),
  ],
  [
    5,
    (r) =>
      build(common.GpsRawInt, {
        timeUsec: BigInt(whole(r, 0, 2 ** 40)),
        fixType: 3,
        lat: whole(r, -9e8, 9e8),
        lon: whole(r, -18e8, 18e8),
        alt: whole(r, 0, 5e5),
        eph: whole(r, 50, 300),
        epv: whole(r, 50, 300),
        vel: whole(r, 0, 2000),
        cog: whole(r, 0, 35_999),
        satellitesVisible: whole(r, 4, 25),
      }),
  ],
  [
    1,
    (r) =>
      build(common.SysStatus, {
        onboardControlSensorsPresent: whole(r, 0, 2 ** 31),
        onboardControlSensorsEnabled: whole(r, 0, 2 ** 31),
        onboardControlSensorsHealth: whole(r, 0, 2 ** 31),
        load: whole(r, 0, 1000),
        voltageBattery: whole(r, 9000, 12_600),
        currentBattery: whole(r, 0, 3000),
        batteryRemaining: whole(r, 0, 100),
      }),
  ],
  [
    1,
    (r) =>
      build(minimal.Heartbeat, {
        type: 2,
        autopilot: 3,
        baseMode: minimal.MavModeFlag.CUSTOM_MODE_ENABLED,
        customMode: whole(r, 0, 20),
        systemStatus: 4,
        mavlinkVersion: 3,
      }),
  ],
  [
    1,
    (r) =>
      build(ardupilotmega.EkfStatusReport, {
        flags: whole(r, 0, 1023),
        velocityVariance: between(r, 0, 1),
        posHorizVariance: between(r, 0, 1),
        posVertVariance: between(r, 0, 1),
        compassVariance: between(r, 0, 1),
      }),
  ],
  [1, (r) => build(common.ExtendedSysState, { landedState: whole(r, 1, 4) })],
  [
    0.5,
    (r) =>
      build(common.StatusText, { severity: whole(r, 0, 7), text: `Waypoint ${whole(r, 1, 99)} reached` }),
  ],
];
const TOTAL = MIX.reduce((sum, [rate]) => sum + rate, 0);

/** So many frames of the mix, as one vehicle (system 1, component 1) sends them. */
export function mixedFrames(count: number, random: Random): Buffer[] {
  const writer = new FrameWriter(1, 1);
  return Array.from({ length: count }, () => {
    let pick = random() * TOTAL;
    const chosen = MIX.find(([rate]) => {
      pick -= rate;
      return pick < 0;
    });
    const [, make] = chosen ?? MIX[0]!;
    return writer.encode(make(random));
  });
}
