import type { MavlinkPeer } from "../../../testing/fakes/mavlink-peer";
import { ack, answerParam, QUICK_TIMINGS, scriptedLinks, text } from "../../../testing/fakes/scripted-link";
import { eventually } from "../../../testing/until";
import type { VehicleLink } from "../../link";
import { build } from "../wire/codec";
import { common, Event, type MavLinkData } from "../wire/messages";

/** Flights that an autopilot obeys as each test says. */
const open = scriptedLinks();

const armed = (customMode = 0) => ({ baseMode: 129, customMode });
const HOME = { latitude: 474_000_000, longitude: 85_000_000, altitude: 488_000 };

/** The commands that came, but the requests for messages. */
const orders = (peer: MavlinkPeer) => peer.of(common.CommandLong).filter(({ command }) => command !== 512);

/** Reacts to orders. Home and origin are the same, and requests for other messages than the landed state are refused. */
function onCommand(peer: MavlinkPeer, react: (command: common.CommandLong) => void, landedState = 1): void {
  peer.on(common.CommandLong, (message) => {
    const { command, _param1 } = message;
    if (command !== 512) return react(message);
    const answer = {
      [common.HomePosition.MSG_ID]: () => build(common.HomePosition, HOME),
      [common.GpsGlobalOrigin.MSG_ID]: () => build(common.GpsGlobalOrigin, HOME),
      [common.ExtendedSysState.MSG_ID]: () => build(common.ExtendedSysState, { landedState }),
    }[_param1];
    peer.send(ack(command, answer ? 0 : 2));
    if (answer) peer.send(answer());
  });
}

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

describe("arming", () => {
  const AUTO = 3;

  test("says the mode that the vehicle is then armed in", async () => {
    const state = { baseMode: 1, customMode: 5 };
    const { peer, link } = await open({ state });
    peer.on(common.CommandLong, ({ command }) => {
      if (command === 400) state.baseMode = 129;
      peer.send(ack(command, 0));
    });
    await expect(link.arm()).resolves.toMatchObject({ mode: "LOITER" });
  });

  test("that is acknowledged by a vehicle that stays disarmed is not reported as done", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.arm()).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringContaining("reports that it is disarmed"),
    });
  });

  describe("that is refused", () => {
    const LOITER = 0x03040000;
    const px4 = { autopilot: 12, state: { baseMode: 1, customMode: LOITER } };
    const ALL = 0xffffffff;
    const OF_LOITER = 1 << 4;
    const SAFETY = 7_959_667;
    const NO_POSITION = 12_276_004;
    const NO_SD_CARD = 10_996_333;
    const MODE_UNFIT = 1_871_713;

    /** One report: the modes in which it may be armed, and the checks that fail. */
    function report(
      canArm: number,
      checks: readonly (readonly [id: number, modes?: number, level?: number])[],
    ) {
      const summary = Buffer.alloc(40);
      summary.writeUInt32LE(canArm, 9);
      const all = [
        [11_047_904, summary, 8] as const,
        ...checks.map(([id, modes = ALL, level = 3]) => {
          const args = Buffer.alloc(40);
          args.writeUInt32LE(modes >>> 0);
          return [id, args, level] as const;
        }),
        [1_914_663, Buffer.alloc(40), 8] as const,
      ];
      return all.map(([id, args, level], at) =>
        build(Event, {
          id: 0x1_00_00_00 + id,
          sequence: (65_534 + at) & 0xffff,
          logLevels: level,
          arguments: [...args],
        }),
      );
    }

    /** Refuses with this text, and answers the request for its checks by these messages. */
    async function refusing(
      options: Parameters<typeof open>[0],
      words: string | undefined,
      answer: readonly MavLinkData[],
      agrees = true,
    ): Promise<string> {
      const { peer, link } = await open(options);
      peer.on(common.CommandLong, ({ command }) => {
        if (command === 400) {
          if (words) peer.send(text(2, words));
          peer.send(ack(command, 1));
        } else if (command === 401) {
          if (agrees) for (const message of answer) peer.send(message);
          peer.send(ack(command, agrees ? 0 : 3));
        } else peer.send(ack(command, 0));
      });
      return link.arm().then(
        () => "armed",
        (error: Error) => error.message,
      );
    }

    const DENIED = "Arming denied: Resolve failures first";

    test("by PX4 is explained by the checks that it reports when it is asked", async () => {
      const answer = [
        ...report(0, [[SAFETY], [NO_SD_CARD, ALL, 4], [NO_POSITION, OF_LOITER]]),
        text(2, "Preflight Fail: x\t"),
      ];
      expect(await refusing(px4, `${DENIED}\t`, answer)).toBe(
        `The vehicle refused to arm (MAV_RESULT_TEMPORARILY_REJECTED): ${DENIED}; ` +
          "Vehicle is in safety configuration (COM_ARMABLE); Global position estimate required (COM_ARM_WO_GPS)",
      );
    });

    test("by PX4 is not explained by checks of other modes, nor by any when this mode can be armed", async () => {
      const others = report(0, [[SAFETY, ~OF_LOITER], [NO_POSITION]]);
      expect(await refusing(px4, DENIED, others)).toMatch(
        /first; Global position estimate required \(COM_ARM_WO_GPS\)$/,
      );
      const optional = report(1, [
        [NO_SD_CARD, ALL, 4],
        [MODE_UNFIT, OF_LOITER, 6],
      ]);
      expect(await refusing(px4, DENIED, optional)).toMatch(/first; Mode not suitable for arming$/);
      const canArm = report(OF_LOITER, [[NO_SD_CARD, ALL, 4]]);
      expect(await refusing(px4, "Arming denied: calibrating", canArm)).toMatch(
        /: Arming denied: calibrating$/,
      );
    });

    test.each([
      ["an event of it is lost", report(0, [[SAFETY], [NO_POSITION]]).toSpliced(2, 1)],
      ["its end is lost", report(0, [[SAFETY], [NO_POSITION]]).slice(0, -1)],
      ["the table lacks one of its checks", report(0, [[SAFETY], [1]])],
      ["it sends no events", []],
    ])("by PX4 is explained by the status texts when %s", async (_what, events) => {
      const answer = [
        ...events,
        text(2, "Preflight Fail: Vehicle is in safety configuration\t"),
        text(6, "Preflight Fail: y"),
      ];
      expect(await refusing(px4, DENIED, answer)).toMatch(
        /first; Preflight Fail: Vehicle is in safety configuration$/,
      );
    });

    test("is explained by what the vehicle said with its refusal when it does not run checks", async () => {
      expect(await refusing(px4, DENIED, report(0, [[SAFETY]]), false)).toMatch(new RegExp(`: ${DENIED}$`));
    });

    test("by ArduPilot without a reason is explained by the checks that it then runs", async () => {
      const answer = [text(2, "PreArm: Battery 1 low"), text(4, "Low voltage")];
      expect(await refusing({}, undefined, answer)).toMatch(/\): PreArm: Battery 1 low$/);
      expect(await refusing({}, "Arm: Battery 1 low", answer)).toMatch(/\): Arm: Battery 1 low$/);
    });

    test("is explained by texts that come one after the other", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandLong, ({ command }) => {
        peer.send(ack(command, command === 400 ? 4 : 0));
        if (command !== 401) return;
        peer.send(text(2, "PreArm: Battery 1 low"));
        setTimeout(() => peer.send(text(2, "PreArm: Missing mission item")), 10);
      });
      await expect(link.preflightFailures()).resolves.toEqual([
        "PreArm: Battery 1 low",
        "PreArm: Missing mission item",
      ]);
    });
  });

  test("in a mode in which the vehicle sets off by itself takes force, and sends nothing without it", async () => {
    const state = { baseMode: 1, customMode: AUTO };
    const { peer, link } = await open({ state });
    peer.on(common.CommandLong, ({ command }) => {
      if (command === 400) state.baseMode = 129;
      peer.send(ack(command, 0));
    });
    await expect(link.arm()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/not sent.*AUTO.*force: true/),
    });
    expect(orders(peer)).toEqual([]);
    await expect(link.arm({ force: true })).resolves.toMatchObject({ mode: "AUTO" });
  });
});

describe("takeoff", () => {
  test("on ArduPilot enters guided mode first and counts from home", async () => {
    const { peer, link } = await open({ state: armed() });
    onCommand(peer, ({ command }) => peer.send(ack(command, 0)));
    await link.takeoff(12);
    expect(orders(peer)).toMatchObject([
      { command: 176, _param2: 4 },
      { command: 22, _param7: 12 },
    ]);
  });

  test("of a disarmed vehicle, or of one in the air, is not sent", async () => {
    const state = { baseMode: 1, customMode: 0 };
    const { peer, link } = await open({ state });
    onCommand(peer, () => {}, 2);
    await expect(link.takeoff(12)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("it is not armed"),
    });
    state.baseMode = 129;
    await expect(link.takeoff(12)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("already in the air"),
    });
    expect(orders(peer)).toEqual([]);
  });

  test("that is refused leaves the mode that was there", async () => {
    const state = armed(5);
    const { peer, link } = await open({ state });
    onCommand(peer, ({ command, _param2 }) => {
      if (command === 176) state.customMode = _param2;
      peer.send(ack(command, command === 22 ? 4 : 0));
    });
    await expect(link.takeoff(12)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/refused to take off.*It is in the mode LOITER, as before\.$/),
    });
    expect(state.customMode).toBe(5);
  });

  test("that PX4 acknowledges, and its failsafe overrules, is not reported as done", async () => {
    const { peer, link } = await open({ autopilot: 12, state: armed(0x05040000) });
    onCommand(peer, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.takeoff(12)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringContaining("it stays in AUTO.RTL"),
    });
  });

  test.each([
    ["the connection breaks", "vehicle_unreachable", true],
    ["the vehicle falls silent", "vehicle_timeout", false],
  ])(
    "is not sent, and is reported as not sent, when %s while guided mode is entered",
    async (_name, code, hangsUp) => {
      const { peer, link } = await open({ state: armed() });
      onCommand(peer, () => hangsUp && peer.disconnect());
      await expect(link.takeoff(12)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(/^The order to take off was not sent. .*enter the mode GUIDED/),
      });
      expect(orders(peer).filter(({ command }) => command !== 176)).toEqual([]);
    },
  );

  test("on PX4 counts from mean sea level, by the home the vehicle reports", async () => {
    const state = armed(0x03040000);
    const { peer, link } = await open({ autopilot: 12, state });
    onCommand(peer, ({ command }) => {
      if (command === 22) state.customMode = 0x02040000;
      peer.send(ack(command, 0));
    });
    await link.takeoff(12);
    expect(orders(peer)).toMatchObject([
      { command: 22, _param5: Number.NaN, _param6: Number.NaN, _param7: 500 },
    ]);
  });

  test("whose first acknowledgement is lost succeeds when the vehicle is in the air", async () => {
    const { peer, link } = await open({ state: armed(4) });
    let landedState = 1;
    peer.on(common.CommandLong, ({ command, confirmation, _param1 }) => {
      if (command === 22) {
        landedState = 2;
        if (confirmation > 0) peer.send(ack(command, 4));
        return;
      }
      peer.send(ack(command, 0));
      if (_param1 === 245) peer.send(build(common.ExtendedSysState, { landedState }));
    });
    await expect(link.takeoff(5)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
  });
});

describe("a target position", () => {
  const position = { lat: 47.4, lng: 8.5, altitude: 30 };

  test("is sent in degrees × 1e7 and, on ArduPilot, with the height above home", async () => {
    const { peer, link } = await open({ state: armed() });
    onCommand(peer, () => {}, 2);
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

  test("is not sent to a disarmed vehicle, nor to a copter on the ground", async () => {
    const state = { baseMode: 1, customMode: 0 };
    const { peer, link } = await open({ state });
    onCommand(peer, () => {});
    await expect(link.goTo(position)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("it is not armed"),
    });
    state.baseMode = 129;
    await expect(link.goTo(position)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("it is on the ground"),
    });
    expect(peer.of(common.CommandInt)).toEqual([]);
  });

  test("that PX4 acknowledges and then objects to is refused, and the mode is as before", async () => {
    const MISSION = 0x04040000;
    const state = armed(MISSION);
    const { peer, link } = await open({ autopilot: 12, state });
    onCommand(
      peer,
      ({ command, _param2, _param3 }) => {
        if (command === 176) state.customMode = ((_param3 << 24) | (_param2 << 16)) >>> 0;
        peer.send(ack(command, 0));
      },
      2,
    );
    peer.on(common.CommandInt, ({ command }) => {
      peer.send(ack(command, 0));
      state.customMode = 0x03040000;
      setTimeout(() => peer.send(text(2, "Reposition is outside geofence\t")), 30);
    });
    await expect(link.goTo(position)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/: Reposition is outside geofence .*AUTO.MISSION, as before/),
    });
    expect(state.customMode).toBe(MISSION);
  });

  describe("that PX4 acknowledges", () => {
    const report = { latInt: 474_000_000, lonInt: 85_000_000, alt: HOME.altitude / 1000 + position.altitude };
    const TARGET = 87;

    /** In the mode that takes positions, with the reports of its target one by one; undefined: it refuses to report. */
    async function opened(...targets: (typeof report | undefined)[]) {
      const { peer, link } = await open({ autopilot: 12, state: armed(0x03040000) });
      peer.on(common.CommandLong, ({ command, _param1 }) => {
        const target = _param1 === TARGET ? (targets.length > 1 ? targets.shift() : targets[0]) : undefined;
        const isHome = _param1 === common.HomePosition.MSG_ID;
        peer.send(ack(command, command === 512 && (isHome || target) ? 0 : 2));
        if (isHome) peer.send(build(common.HomePosition, HOME));
        if (target) peer.send(build(common.PositionTargetGlobalInt, target));
      });
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 0)));
      return link;
    }
    const elsewhere = { ...report, latInt: 474_100_000 };

    test("is confirmed by the target that it reports a moment later", async () => {
      const link = await opened(elsewhere, report);
      await expect(link.goTo(position)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    });

    test("is refused when it keeps another target", async () => {
      const link = await opened(elsewhere);
      await expect(link.goTo(position)).rejects.toMatchObject({
        code: "vehicle_refused",
        message: expect.stringContaining("its target is 47.41, 8.5"),
      });
    });

    test("is not confirmed when it reports no target", async () => {
      const link = await opened(undefined);
      await expect(link.goTo(position)).resolves.toMatchObject({ result: "TARGET_UNCONFIRMED" });
    });
  });

  describe("in metres from home, on ArduPilot,", () => {
    const above = { x: 0, y: 0, z: 30 };
    const elsewhere = { latInt: 474_100_000, lonInt: 85_000_000, alt: 500 };
    const TARGET = 87;

    /** Home is the origin; `onTarget` answers the request for the target. */
    async function opened(onTarget: (peer: MavlinkPeer, link: VehicleLink) => void) {
      const { peer, link } = await open({ state: armed() });
      peer.on(common.CommandLong, ({ command, _param1 }) => {
        if (command === 512 && _param1 === TARGET) return onTarget(peer, link);
        peer.send(ack(command, 0));
        if (command === 512 && _param1 === 242) peer.send(build(common.HomePosition, HOME));
        if (command === 512 && _param1 === 49) peer.send(build(common.GpsGlobalOrigin, HOME));
        if (command === 512 && _param1 === 245) peer.send(build(common.ExtendedSysState, { landedState: 2 }));
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

    test("is confirmed by the target it reports a hundred times too near to the origin", async () => {
      const { link } = await opened((peer) => {
        peer.send(ack(512, 0));
        // 40 m east and 30 m up.
        peer.send(
          build(common.PositionTargetGlobalInt, { latInt: HOME.latitude, lonInt: 85_000_053, alt: 488.3 }),
        );
      });
      await expect(link.move({ x: 40, y: 0, z: 30 })).resolves.toMatchObject({ result: "TARGET_CONFIRMED" });
      await expect(link.move({ x: 50, y: 0, z: 30 })).rejects.toMatchObject({ code: "vehicle_refused" });
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
        if (_param1 === 245) peer.send(build(common.ExtendedSysState, { landedState: 2 }));
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
    const { peer, link } = await open({ state: armed() });
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      peer.send(ack(command, command === 512 && _param1 === 87 ? 4 : 0));
      if (command !== 512) return;
      // Home lies 1e-4 degrees (11.13 m) north of the origin and 2 m above it.
      if (_param1 === 245) peer.send(build(common.ExtendedSysState, { landedState: 2 }));
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
    answerParam(peer, "FRAME_CLASS", 2);
    onCommand(peer, ({ command }) => peer.send(ack(command, 0)));
    await link.motorTest(6, 10);
    expect(orders(peer)).toMatchObject([{ command: 209, _param1: 6, _param2: 0, _param3: 10, _param4: 2 }]);
    await expect(link.motorTest(0, 10)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(link.motorTest(1, 101)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("of PX4 is ACTUATOR_TEST, with a throttle from 0 to 1", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    answerParam(peer, "CA_ROTOR_COUNT", 4, "px4");
    onCommand(peer, ({ command }) => peer.send(ack(command, 0)));
    await link.motorTest(3, 10);
    expect(orders(peer)).toMatchObject([{ command: 310, _param2: 2, _param5: 3 }]);
    expect(orders(peer)[0]?._param1).toBeCloseTo(0.1);
  });

  test.each([
    ["quad of ArduPilot", { autopilot: 3 }, "FRAME_CLASS", 1, 5],
    ["quad of PX4", { autopilot: 12 }, "CA_ROTOR_COUNT", 4, 5],
    ["tricopter of ArduPilot, whose motors are 1, 2 and 4", { autopilot: 3 }, "FRAME_CLASS", 7, 5],
  ] as const)("of a motor that a %s lacks is not sent", async (_name, options, param, value, motor) => {
    const { peer, link } = await open(options);
    answerParam(peer, param, value, options.autopilot === 12 ? "px4" : "ardupilot");
    await expect(link.motorTest(motor, 10)).rejects.toMatchObject({
      code: "not_supported",
      message: expect.stringContaining(`${param} = ${value}`),
    });
    expect(orders(peer)).toEqual([]);
  });

  test("of an armed vehicle is not sent, and arming waits for its end", async () => {
    const state = armed();
    const { peer, link } = await open({ state });
    answerParam(peer, "FRAME_CLASS", 1);
    onCommand(peer, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.motorTest(1, 10)).rejects.toMatchObject({ code: "conflict" });
    expect(orders(peer)).toEqual([]);
    state.baseMode = 1;
    await eventually("it is seen to be disarmed", () =>
      link.motorTest(1, 10).then(
        () => true,
        () => false,
      ),
    );
    await expect(link.arm()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("a motor test runs"),
    });
  });
});
