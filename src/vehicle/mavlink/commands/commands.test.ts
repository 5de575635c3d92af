import { startPeer } from "../../../testing/fakes/mavlink-peer";
import { ack, QUICK_TIMINGS, scriptedLinks, text } from "../../../testing/fakes/scripted-link";
import { until } from "../../../testing/until";
import { createLinkPool } from "../..";
import { build, FrameWriter } from "../wire/codec";
import { common } from "../wire/messages";

/** Orders to an autopilot that answers as each test says. */
const open = scriptedLinks();

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

  test("without an acknowledgement has an unknown outcome after the last attempt", async () => {
    const { peer, link } = await open();
    await expect(link.disarm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("may have obeyed or not. The vehicle did not acknowledge"),
    });
    expect(peer.of(common.CommandLong)).toHaveLength(3);
    // It answers what was sent later: nothing is on its way any more.
    expect(link.state).toBe("ready");
  });

  test("is not repeated while the vehicle sends heartbeats and answers no TIMESYNC probe", async () => {
    const { peer, link } = await open({ echoes: false });
    await expect(link.arm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("did not acknowledge the order to arm (sent once)"),
    });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
    // What may still be on its way is taken back.
    expect(link.state).toBe("closed");
  });

  test("that is not idempotent is sent once", async () => {
    const { peer, link } = await open();
    await expect(link.motorTest(1, 5)).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
  });

  test("is not repeated after a later order, which it would undo", async () => {
    const state = { baseMode: 129, customMode: 4 };
    const { peer, link } = await open({ state });
    let copies = 0;
    peer.on(common.CommandLong, ({ command }) => {
      if (command === 22) copies += 1;
      if (command !== 176) return;
      peer.send(ack(command, 0));
      state.customMode = 9;
    });
    const takeoff = link.takeoff(5);
    takeoff.catch(() => {});
    await until(() => copies === 1);
    await expect(link.land()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    await expect(takeoff).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(copies).toBe(1);
  });

  test("in progress is not repeated, also when its end is not reported", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, progressMs: 100 } });
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 5)));
    await expect(link.arm()).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
  });

  test("is not repeated after a TIMESYNC answer to another station", async () => {
    const { peer, link } = await open({ echoes: false });
    peer.on(common.CommandLong, () => peer.send(build(common.TimeSync, { tc1: 1n, ts1: 2n ** 62n })));
    await expect(link.arm()).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
  });

  test("is not repeated when the vehicle reports progress just before", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, settleMs: 400 } });
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (confirmation > 0) return;
      // By then the vehicle has answered what was sent later.
      setTimeout(() => peer.send(ack(command, 5)), 200);
      setTimeout(() => peer.send(ack(command, 0)), 800);
    });
    await expect(link.arm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
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

  test("that is refused carries the result's name and the vehicle's status texts, also later and chunked ones", async () => {
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

  test("that is refused carries no status text about something else", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(text(6, "finished motor test"));
      peer.send(ack(command, 4));
    });
    await expect(link.motorTest(9, 5)).rejects.toMatchObject({
      message: "The vehicle refused to test the motor (MAV_RESULT_FAILED)",
    });
  });

  test("to take off that a vehicle on the ground refuses without a status text says that it is not armed", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, command === 22 ? 4 : 0)));
    await expect(link.takeoff(5)).rejects.toMatchObject({
      message: expect.stringContaining("it is not armed"),
    });
  });

  test("under way when the connection breaks has an unknown outcome, reported at once", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, timeoutMs: 10_000 } });
    peer.on(common.CommandLong, () => peer.disconnect());
    await expect(link.arm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The order to arm was sent"),
    });
    expect(link.state).toBe("closed");
  });

  test("that is queued when the connection breaks is reported as not sent", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, timeoutMs: 10_000 } });
    peer.on(common.CommandLong, () => peer.disconnect());
    const [first, second] = await Promise.allSettled([link.arm(), link.disarm()]);
    expect(first).toMatchObject({ reason: { code: "outcome_unknown" } });
    expect(second).toMatchObject({ reason: { code: "vehicle_unreachable" } });
    await expect(link.arm()).rejects.toMatchObject({ code: "vehicle_unreachable" });
    expect(peer.of(common.CommandLong)).toHaveLength(1);
  });

  test("on a link whose lease is lost is not sent, and is reported as not sent", async () => {
    const thePeer = await startPeer();
    let mayUse = true;
    const pool = createLinkPool({ mavlink: { systemId: 245, timings: QUICK_TIMINGS }, mayUse: () => mayUse });
    const target = { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" } as const;
    try {
      const arming = pool.withLink(target, (link) => {
        mayUse = false;
        return link.arm();
      });
      await expect(arming).rejects.toMatchObject({ code: "vehicle_unreachable" });
      expect(thePeer.of(common.CommandLong)).toEqual([]);
    } finally {
      await pool.drain();
      await thePeer.close();
    }
  });

  test("to take off that was repeated and refused has an unknown outcome when the connection then breaks", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (command === 176) peer.send(ack(command, 0));
      if (command === 22 && confirmation > 0) peer.send(ack(command, 4));
      if (command === 512) peer.disconnect();
    });
    await expect(link.takeoff(5)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The order to take off was sent"),
    });
  });
});

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
  const place = { lat: 47.4, lng: 8.5, altitude: 30 };

  test("is sent in degrees × 1e7 and, on ArduPilot, with the height above home", async () => {
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

  describe("for an ArduPilot without DO_REPOSITION", () => {
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

    test("is not sent when the connection breaks while guided mode is entered", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 3)));
      peer.on(common.CommandLong, () => peer.disconnect());
      await expect(link.goTo(place)).rejects.toMatchObject({
        code: "vehicle_unreachable",
        message: expect.stringMatching(/^The order to go there was not sent/),
      });
      expect(peer.of(common.SetPositionTargetGlobalInt)).toEqual([]);
    });

    test("has an unknown outcome when the connection breaks after the setpoint", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 3)));
      peer.on(common.CommandLong, ({ command }) => {
        if (command === 512) peer.disconnect();
        else peer.send(ack(command, 0));
      });
      await expect(link.goTo(place)).rejects.toMatchObject({
        code: "outcome_unknown",
        message: expect.stringContaining("The order to go there was sent"),
      });
      expect(peer.of(common.SetPositionTargetGlobalInt)).toHaveLength(1);
    });

    test("is not sent again after another order", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandInt, ({ command }) => peer.send(ack(command, 3)));
      let landing: Promise<unknown> | undefined;
      peer.on(common.CommandLong, ({ command }) => {
        peer.send(ack(command, 0));
        if (command !== 512 || landing) return;
        landing = link.setMode("LAND").catch(() => {});
        peer.send(build(common.PositionTargetGlobalInt, elsewhere));
      });
      await expect(link.goTo(place)).rejects.toMatchObject({ code: "conflict" });
      await landing;
      expect(peer.of(common.SetPositionTargetGlobalInt)).toHaveLength(1);
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
