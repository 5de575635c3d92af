import type { MavlinkPeer } from "../../../testing/fakes/mavlink-peer";
import { ack, QUICK_TIMINGS, scriptedLinks } from "../../../testing/fakes/scripted-link";
import type { VehicleLink } from "../../link";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

/** Flights that an autopilot obeys as each test says. */
const open = scriptedLinks();

describe("a mode", () => {
  test("of PX4 is set by main and sub mode, and confirmed by the heartbeat", async () => {
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

  test("that another order replaced before a heartbeat showed it is reported as replaced", async () => {
    const state = { baseMode: 1, customMode: 0 };
    const { peer, link } = await open({ state });
    peer.on(common.CommandLong, ({ command, _param2 }) => {
      peer.send(ack(command, 0));
      if (_param2 === 4) state.customMode = 4;
    });
    const [land, guided] = await Promise.allSettled([link.setMode("LAND"), link.setMode("GUIDED")]);
    expect(guided).toMatchObject({ status: "fulfilled", value: { mode: "GUIDED" } });
    expect(land).toMatchObject({
      status: "rejected",
      reason: { code: "conflict", message: expect.stringContaining("it is in GUIDED now") },
    });
  });

  test("that is acknowledged has an unknown outcome when the connection breaks before a heartbeat shows it", async () => {
    const { peer, link } = await open({}, { flight: { ...QUICK_TIMINGS.flight, modeMs: 10_000 } });
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(ack(command, 0));
      setTimeout(() => peer.disconnect(), 50);
    });
    await expect(link.setMode("AUTO")).rejects.toMatchObject({ code: "outcome_unknown" });
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

  test.each([
    ["the connection breaks", "vehicle_unreachable", true],
    ["the vehicle falls silent", "vehicle_timeout", false],
  ])(
    "is not sent, and is reported as not sent, when %s while guided mode is entered",
    async (_name, code, hangsUp) => {
      const { peer, link } = await open();
      peer.on(common.CommandLong, () => hangsUp && peer.disconnect());
      await expect(link.takeoff(12)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/^The order to take off was not sent. .*enter the mode GUIDED/),
      });
      expect(peer.of(common.CommandLong).filter(({ command }) => command !== 176)).toEqual([]);
    },
  );

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

  test("whose first acknowledgement is lost succeeds when the vehicle is in the air", async () => {
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

describe("a target position", () => {
  const position = { lat: 47.4, lng: 8.5, altitude: 30 };

  test("is sent in degrees × 1e7 and, on ArduPilot, with the height above home", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.goTo(position)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(peer.of(common.CommandInt)[0]).toMatchObject({
      command: 192,
      frame: 6,
      _param2: 1,
      _param5: 474_000_000,
      _param6: 85_000_000,
      _param7: 30,
    });
  });

  describe("in metres from home, on ArduPilot,", () => {
    const HOME = { latitude: 474_000_000, longitude: 85_000_000, altitude: 488_000 };
    const above = { x: 0, y: 0, z: 30 };
    const elsewhere = { latInt: 474_100_000, lonInt: 85_000_000, alt: 500 };
    const TARGET = 87;

    /** Home is the origin; `onTarget` answers the request for the target. */
    async function opened(onTarget: (peer: MavlinkPeer, link: VehicleLink) => void) {
      const { peer, link } = await open();
      peer.on(common.CommandLong, ({ command, _param1 }) => {
        if (command === 512 && _param1 === TARGET) return onTarget(peer, link);
        peer.send(ack(command, 0));
        if (command === 512 && _param1 === 242) peer.send(build(common.HomePosition, HOME));
        if (command === 512 && _param1 === 49) peer.send(build(common.GpsGlobalOrigin, HOME));
      });
      return { peer, link };
    }

    test("is confirmed by the target it reports", async () => {
      const { peer, link } = await opened((peer) => {
        peer.send(ack(512, 0));
        peer.send(build(common.PositionTargetGlobalInt, { ...elsewhere, latInt: HOME.latitude, alt: 518 }));
      });
      await expect(link.move(above)).resolves.toMatchObject({ result: "TARGET_CONFIRMED" });
      expect(peer.of(common.SetPositionTargetLocalNed)[0]).toMatchObject({ x: 0, y: 0, z: -30 });
    });

    test("is unconfirmed when it reports none", async () => {
      const { link } = await opened((peer) => peer.send(ack(512, 4)));
      await expect(link.move(above)).resolves.toMatchObject({ result: "TARGET_UNCONFIRMED" });
    });

    test("is not sent when the connection breaks while guided mode is entered", async () => {
      const { peer, link } = await opened(() => {});
      peer.on(common.CommandLong, ({ command, _param1 }) => {
        if (command === 176) return peer.disconnect();
        peer.send(ack(command, 0));
        if (_param1 === 242) peer.send(build(common.HomePosition, HOME));
        if (_param1 === 49) peer.send(build(common.GpsGlobalOrigin, HOME));
      });
      await expect(link.move(above)).rejects.toMatchObject({
        code: "vehicle_unreachable",
        message: expect.stringMatching(/^The order to move was not sent/),
      });
      expect(peer.of(common.SetPositionTargetLocalNed)).toEqual([]);
    });

    test("has an unknown outcome when the connection breaks after the setpoint", async () => {
      const { peer, link } = await opened((peer) => peer.disconnect());
      await expect(link.move(above)).rejects.toMatchObject({
        code: "outcome_unknown",
        message: expect.stringContaining("The order to move was sent"),
      });
      expect(peer.of(common.SetPositionTargetLocalNed)).toHaveLength(1);
    });

    test("is not sent again after another order", async () => {
      let landing: Promise<unknown> | undefined;
      const { peer, link } = await opened((peer, link) => {
        peer.send(ack(512, 0));
        landing ??= link.setMode("LAND").catch(() => {});
        peer.send(build(common.PositionTargetGlobalInt, elsewhere));
      });
      await expect(link.move(above)).rejects.toMatchObject({ code: "conflict" });
      await landing;
      expect(peer.of(common.SetPositionTargetLocalNed)).toHaveLength(1);
    });

    test("is refused when it keeps another target", async () => {
      const { link } = await opened((peer) => {
        peer.send(ack(512, 0));
        peer.send(build(common.PositionTargetGlobalInt, elsewhere));
      });
      await expect(link.move(above)).rejects.toMatchObject({ code: "vehicle_refused" });
    });
  });

  test("in metres from home is sent relative to the estimator's origin", async () => {
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
