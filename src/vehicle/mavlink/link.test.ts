import { type MavlinkPeer, type PeerOptions, startPeer } from "../../testing/mavlink-peer";
import { dialDirect } from "../dialers/direct";
import type { VehicleLink } from "../link";
import { build, FrameWriter } from "./codec";
import { type MavlinkTimings, openMavlinkLink } from "./link";
import { ardupilotmega, common, minimal, ParamError } from "./messages";
import { writeParamValue } from "./param-value";

/** The adapter against an autopilot that does what each test says, with its patience shortened. */
const QUICK: MavlinkTimings = {
  command: { timeoutMs: 60, attempts: 3, progressMs: 2000, explanationMs: 150 },
  param: { timeoutMs: 60, attempts: 3 },
  plan: { timeoutMs: 80, attempts: 4 },
  flight: { modeMs: 400, messageMs: 80, setpointAttempts: 2, targetMs: 80 },
  silenceMs: 5000,
};

let peer: MavlinkPeer | undefined;
let link: VehicleLink | undefined;

afterEach(async () => {
  link?.close("the test is over");
  await peer?.close();
  peer = link = undefined;
});

async function open(options: PeerOptions = {}, timings: Partial<MavlinkTimings> = {}) {
  const thePeer = await startPeer(options);
  peer = thePeer;
  const target = { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" as const };
  const signal = new AbortController().signal;
  const stream = await dialDirect(target, signal);
  const theLink = await openMavlinkLink(stream, { systemId: 245, timings: { ...QUICK, ...timings } }, signal);
  link = theLink;
  return { peer: thePeer, link: theLink };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const ack = (command: number, result: number, more: Partial<common.CommandAck> = {}) =>
  build(common.CommandAck, { command, result, targetSystem: 245, targetComponent: 190, ...more });
const text = (severity: number, words: string, more: Partial<common.StatusText> = {}) =>
  build(common.StatusText, { severity, text: words, ...more });

describe("opening a link", () => {
  test("follows the autopilot's heartbeat whatever its system id, and nobody else's", async () => {
    const thePeer = await startPeer({ systemId: 42, autopilot: 12, type: 13, heartbeatMs: 80 });
    peer = thePeer;
    const signal = new AbortController().signal;
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      signal,
    );
    const opening = openMavlinkLink(stream, { systemId: 245 }, signal);
    const gcs = build(minimal.Heartbeat, { type: 6, autopilot: 8 });
    const gimbal = build(minimal.Heartbeat, { type: 26, autopilot: 8 });
    thePeer.send(gcs, { as: new FrameWriter(255, 190) });
    thePeer.send(gimbal, { as: new FrameWriter(42, 154) });
    link = await opening;
    expect(link.vehicle).toEqual({ autopilot: "px4", kind: "copter", systemId: 42, componentId: 1 });
    expect(link.state).toBe("ready");
  });

  test("says which vehicles it cannot fly", async () => {
    const thePeer = await startPeer({ type: 1 });
    peer = thePeer;
    const giveUp = new AbortController();
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      giveUp.signal,
    );
    const opening = openMavlinkLink(stream, { systemId: 245 }, giveUp.signal);
    setTimeout(() => giveUp.abort(), 200);
    await expect(opening).rejects.toMatchObject({
      code: "not_supported",
      message: expect.stringContaining("MAV_TYPE 1"),
    });
  });

  test("refuses to be 255, whose heartbeats mask a vehicle's failsafe", async () => {
    const thePeer = await startPeer();
    peer = thePeer;
    const signal = new AbortController().signal;
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      signal,
    );
    await expect(openMavlinkLink(stream, { systemId: 255 }, signal)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("announces itself as ground station 245/190 and says nothing else of its own accord", async () => {
    const { peer } = await open();
    await until(() => peer.of(minimal.Heartbeat).length >= 2);
    expect(new Set(peer.received.map(({ message }) => message.constructor))).toEqual(
      new Set([minimal.Heartbeat]),
    );
    expect(peer.received[0]).toMatchObject({
      systemId: 245,
      componentId: 190,
      message: { type: 6, autopilot: 8 },
    });
  });
});

describe("a command", () => {
  test("is repeated with a rising confirmation until it is acknowledged", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (confirmation === 2) peer.send(ack(command, 0));
    });
    await expect(link.arm()).resolves.toEqual({ result: "MAV_RESULT_ACCEPTED", status_text: [] });
    expect(peer.of(common.CommandLong).map(({ confirmation, _param1 }) => [confirmation, _param1])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  test("that nobody acknowledges fails after the last attempt", async () => {
    const { peer, link } = await open();
    await expect(link.disarm()).rejects.toMatchObject({ code: "vehicle_timeout" });
    expect(peer.of(common.CommandLong)).toHaveLength(3);
  });

  test("acknowledged to another station is not acknowledged to us", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      peer.send(ack(command, 4, { targetSystem: 255 }));
      peer.send(ack(command, 4, { targetSystem: 245, targetComponent: 1 }));
      peer.send(ack(command, 4), { as: new FrameWriter(1, 154) });
      if (confirmation === 1) peer.send(ack(command, 0));
    });
    await expect(link.arm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
  });

  test("in progress is waited for without being repeated", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(ack(command, 5, { progress: 10 }));
      setTimeout(() => peer.send(ack(command, 0)), 400);
    });
    await expect(link.arm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
  });

  test("refused carries the result's name and the vehicle's words, those that follow and come in chunks too", async () => {
    const { peer, link } = await open();
    const long = "PreArm: Compass not calibrated, and the throttle is not at its lowest";
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(text(6, "unimportant chatter"));
      peer.send(ack(command, 4));
      peer.send(text(2, long.slice(50), { id: 9, chunkSeq: 1 }));
      peer.send(text(2, long.slice(0, 50), { id: 9, chunkSeq: 0 }));
    });
    await expect(link.arm()).rejects.toMatchObject({
      code: "vehicle_refused",
      message: `The vehicle refused to arm (MAV_RESULT_FAILED): ${long}`,
    });
  });

  test("under way when the connection breaks fails at once", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK.command, timeoutMs: 10_000 } });
    peer.on(common.CommandLong, () => peer.hangUp());
    await expect(link.arm()).rejects.toMatchObject({ code: "vehicle_unreachable" });
    expect(link.state).toBe("closed");
  });
});

describe("a mode", () => {
  test("of PX4 is asked for by main and sub mode and believed when the heartbeat shows it", async () => {
    const state = { baseMode: 1, customMode: 0 };
    const { peer, link } = await open({ autopilot: 12, state });
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(ack(command, 0));
      state.customMode = 0x04040000;
    });
    await expect(link.setMode("mission")).resolves.toMatchObject({ mode: "AUTO.MISSION" });
    expect(peer.of(common.CommandLong)[0]).toMatchObject({
      command: 176,
      _param1: 1,
      _param2: 4,
      _param3: 4,
    });
  });

  test("that is acknowledged but never shown is not reported as set", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.setMode("AUTO")).rejects.toMatchObject({
      code: "vehicle_timeout",
      message: expect.stringContaining("STABILIZE"),
    });
  });

  test("that the vehicle does not have sends nothing", async () => {
    const { peer, link } = await open();
    await expect(link.setMode("OFFBOARD")).rejects.toMatchObject({ code: "not_supported" });
    expect(peer.of(common.CommandLong)).toEqual([]);
  });
});

describe("takeoff", () => {
  test("on ArduPilot enters guided mode first and counts from home", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await link.takeoff(12);
    expect(peer.of(common.CommandLong)).toMatchObject([
      { command: 176, _param2: 4 },
      { command: 22, _param7: 12 },
    ]);
  });

  test("on PX4 counts from mean sea level, by the home the vehicle reports", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      peer.send(ack(command, 0));
      if (command === 512 && _param1 === 242) {
        peer.send(build(common.HomePosition, { latitude: 1, longitude: 1, altitude: 488_000 }));
      }
    });
    await link.takeoff(12);
    const order = peer.of(common.CommandLong).find(({ command }) => command === 22);
    expect(order).toMatchObject({ _param5: Number.NaN, _param6: Number.NaN, _param7: 500 });
  });

  test("whose first acknowledgement was lost counts when the vehicle is in the air", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation, _param1 }) => {
      if (command === 22) {
        if (confirmation > 0) peer.send(ack(command, 4));
        return;
      }
      peer.send(ack(command, 0));
      if (command === 512 && _param1 === 245) peer.send(build(common.ExtendedSysState, { landedState: 2 }));
    });
    await expect(link.takeoff(5)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
  });
});

describe("a place to go to", () => {
  const place = { lat: 47.4, lng: 8.5, altitude: 30 };

  test("is ordered with degrees whole and, on ArduPilot, height above home", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.goTo(place)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(peer.of(common.CommandInt)[0]).toMatchObject({
      command: 192,
      frame: 6,
      _param2: 1,
      _param5: 474_000_000,
      _param6: 85_000_000,
      _param7: 30,
    });
  });

  describe("for an ArduPilot that has no such order", () => {
    const elsewhere = { latInt: 474_100_000, lonInt: 85_000_000, alt: 500 };

    test.each([
      [
        "is confirmed by the target it reports",
        { latInt: 474_000_000, lonInt: 85_000_000, alt: 518 },
        "TARGET_CONFIRMED",
      ],
      ["is unconfirmed when it reports none", undefined, "TARGET_UNCONFIRMED"],
    ])("%s", async (_name, report, result) => {
      const { peer, link } = await open();
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 3)));
      peer.on(common.CommandLong, ({ command }) => {
        peer.send(ack(command, command === 512 && !report ? 4 : 0));
        if (command === 512 && report) peer.send(build(common.PositionTargetGlobalInt, report));
      });
      await expect(link.goTo(place)).resolves.toMatchObject({ result });
      expect(peer.of(common.SetPositionTargetGlobalInt)[0]).toMatchObject({
        coordinateFrame: 6,
        latInt: 474_000_000,
        alt: 30,
      });
    });

    test("is refused when it keeps another target", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 3)));
      peer.on(common.CommandLong, ({ command }) => {
        peer.send(ack(command, 0));
        if (command === 512) peer.send(build(common.PositionTargetGlobalInt, elsewhere));
      });
      await expect(link.goTo(place)).rejects.toMatchObject({ code: "vehicle_refused" });
    });
  });

  test("in metres from home is sent from the estimator's origin, which is elsewhere", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      peer.send(ack(command, command === 512 && _param1 === 87 ? 4 : 0));
      if (command !== 512) return;
      // Home lies 1e-4 degrees (11.13 m) north of the origin and 2 m above it.
      if (_param1 === 242) {
        peer.send(build(common.HomePosition, { latitude: 1000, longitude: 0, altitude: 12_000 }));
      }
      if (_param1 === 49) {
        peer.send(build(common.GpsGlobalOrigin, { latitude: 0, longitude: 0, altitude: 10_000 }));
      }
    });
    await link.move({ x: 3, y: 4, z: 5 });
    const [sent] = peer.of(common.SetPositionTargetLocalNed);
    expect(sent).toMatchObject({ coordinateFrame: 1, typeMask: 3576 });
    expect(sent?.x).toBeCloseTo(4 + 11.1319, 3);
    expect(sent?.y).toBeCloseTo(3, 3);
    expect(sent?.z).toBeCloseTo(-7, 3);
  });
});

describe("the motor test", () => {
  test("is bounded in motors, throttle and time", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await link.motorTest(3, 10);
    expect(peer.of(common.CommandLong)[0]).toMatchObject({
      command: 209,
      _param1: 3,
      _param2: 0,
      _param3: 10,
      _param4: 2,
    });
    await expect(link.motorTest(0, 10)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(link.motorTest(1, 101)).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("parameters", () => {
  test("of PX4 keep an integer's own bits both ways, negative ones too", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    let stored = -1;
    const answer = () =>
      peer.send(
        build(common.ParamValue, { paramId: "COM_FLTMODE1", paramType: 6, paramCount: 9, paramIndex: 65535 }),
        { patch: (payload) => writeParamValue(payload, stored, 6, "px4") },
      );
    peer.on(common.ParamRequestRead, answer);
    peer.on(common.ParamSet, () => {
      stored = -2;
      answer();
    });
    expect(await link.readParams(["COM_FLTMODE1"])).toEqual([{ param_id: "COM_FLTMODE1", value: -1 }]);
    expect(await link.writeParam("COM_FLTMODE1", -2)).toEqual({ param_id: "COM_FLTMODE1", value: -2 });
    await expect(link.writeParam("COM_FLTMODE1", 1.5)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("that the vehicle clamps are reported as refused, with what it kept", async () => {
    const { peer, link } = await open();
    const answer = () =>
      peer.send(build(common.ParamValue, { paramId: "RTL_ALT", paramValue: 3000, paramType: 9 }));
    peer.on(common.ParamRequestRead, answer);
    peer.on(common.ParamSet, answer);
    await expect(link.writeParam("RTL_ALT", 9_000_000)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringContaining("3000"),
    });
  });

  test("that do not exist are told apart from a vehicle that does not answer", async () => {
    const { peer, link } = await open();
    peer.on(common.ParamRequestRead, ({ paramId }) => {
      if (paramId === "KNOWN_NOT") {
        peer.send(build(ParamError, { targetSystem: 245, targetComponent: 190, paramId, error: 1 }));
      }
    });
    await expect(link.readParams(["KNOWN_NOT"])).rejects.toMatchObject({ code: "vehicle_refused" });
    await expect(link.readParams(["SILENT"])).rejects.toMatchObject({ code: "vehicle_timeout" });
    await expect(link.readParams(["much too long a name"])).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("lost from the list are asked for by their index", async () => {
    const { peer, link } = await open();
    const send = (paramIndex: number) =>
      peer.send(
        build(common.ParamValue, { paramId: `P${paramIndex}`, paramType: 9, paramCount: 6, paramIndex }),
      );
    peer.on(common.ParamRequestList, () => [0, 2, 5].map(send));
    peer.on(common.ParamRequestRead, ({ paramIndex }) => send(paramIndex));
    expect(await link.pullParams()).toEqual({ received: 6, total: 6 });
    expect(peer.of(common.ParamRequestRead).map(({ paramIndex }) => paramIndex)).toEqual([1, 3, 4]);
  });
});

describe("telemetry", () => {
  test("of a vehicle without message intervals is asked for as streams", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, command === 511 ? 3 : 0)));
    link.onTelemetry(() => {});
    await until(() => peer.of(common.RequestDataStream).length === 1);
    expect(peer.of(common.RequestDataStream)[0]).toMatchObject({ startStop: 1, reqStreamId: 0 });
  });

  test("intervals are asked for once, however many listen, and each hears everything", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    const heard: string[] = [];
    link.onTelemetry(({ type }) => void heard.push(`a ${type}`));
    const stop = link.onTelemetry(({ type }) => void heard.push(`b ${type}`));
    await until(() => peer.of(common.CommandLong).some(({ command }) => command === 512));
    const asked = peer.of(common.CommandLong).filter(({ command }) => command === 511);
    expect(new Set(asked.map(({ _param1 }) => _param1)).size).toBe(asked.length);
    expect(asked.map(({ _param1 }) => _param1)).toContain(ardupilotmega.EkfStatusReport.MSG_ID);
    peer.send(build(common.VfrHud, { heading: 90 }));
    await until(() => heard.length === 2);
    stop();
    peer.send(build(common.VfrHud, { heading: 91 }));
    await until(() => heard.length === 3);
    expect(heard).toEqual(["a hud", "b hud", "a hud"]);
  });
});
