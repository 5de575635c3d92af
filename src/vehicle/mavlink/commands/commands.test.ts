import { type MavlinkPeer, startPeer } from "../../../testing/fakes/mavlink-peer";
import { ack, answerParam, QUICK_TIMINGS, scriptedLinks, text } from "../../../testing/fakes/scripted-link";
import { until } from "../../../testing/until";
import { createLinkPool } from "../..";
import { build, FrameWriter } from "../wire/codec";
import { common } from "../wire/messages";

/** Orders to an autopilot that answers as each test says. */
const open = scriptedLinks();

/** The commands that came, but the requests for messages. */
const orders = (peer: MavlinkPeer) => peer.of(common.CommandLong).filter(({ command }) => command !== 512);

describe("a command", () => {
  test("is repeated with a rising confirmation until it is acknowledged", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (confirmation === 2) peer.send(ack(command, 0));
    });
    await expect(link.disarm()).resolves.toEqual({ result: "MAV_RESULT_ACCEPTED", status_text: [] });
    expect(orders(peer).map(({ confirmation, _param1 }) => [confirmation, _param1])).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
  });

  test("without an acknowledgement has an unknown outcome after the last attempt", async () => {
    const { peer, link } = await open();
    await expect(link.disarm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("may have obeyed or not. The vehicle did not acknowledge"),
    });
    expect(orders(peer)).toHaveLength(3);
    // It answers what was sent later: nothing is on its way any more.
    expect(link.state).toBe("ready");
  });

  test("is not repeated while the vehicle sends heartbeats and answers no TIMESYNC probe", async () => {
    const { peer, link } = await open({ echoes: false });
    await expect(link.disarm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("did not acknowledge the order to disarm (sent once)"),
    });
    expect(orders(peer)).toHaveLength(1);
    // So that bytes that have not left this machine are never sent.
    expect(link.state).toBe("closed");
  });

  test("that is not idempotent is sent once", async () => {
    const { peer, link } = await open();
    answerParam(peer, "FRAME_CLASS", 1);
    await expect(link.motorTest(1, 5)).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(orders(peer)).toHaveLength(1);
  });

  test("is not repeated after a later order, which it would undo", async () => {
    const state = { baseMode: 129, customMode: 4 };
    const { peer, link } = await open({ state });
    let copies = 0;
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      if (command === 22) copies += 1;
      if (command === 512 && _param1 === 245) peer.send(ack(command, 2));
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
    await expect(link.disarm()).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(orders(peer)).toHaveLength(1);
  });

  test("is not repeated after a TIMESYNC answer to another station", async () => {
    const { peer, link } = await open({ echoes: false });
    peer.on(common.CommandLong, () => peer.send(build(common.TimeSync, { tc1: 1n, ts1: 2n ** 62n })));
    await expect(link.disarm()).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(orders(peer)).toHaveLength(1);
  });

  test("is not repeated when the vehicle reports progress just before", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, settleMs: 400 } });
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (confirmation > 0) return;
      // By then the vehicle has answered what was sent later.
      setTimeout(() => peer.send(ack(command, 5)), 200);
      setTimeout(() => peer.send(ack(command, 0)), 800);
    });
    await expect(link.disarm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(orders(peer)).toHaveLength(1);
  });

  test("acknowledged to another station is not acknowledged to us", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      peer.send(ack(command, 4, { targetSystem: 255 }));
      peer.send(ack(command, 4, { targetSystem: 245, targetComponent: 1 }));
      peer.send(ack(command, 4), { as: new FrameWriter(1, 154) });
      if (confirmation === 1) peer.send(ack(command, 0));
    });
    await expect(link.disarm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
  });

  test("in progress is waited for without being repeated", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(ack(command, 5, { progress: 10 }));
      setTimeout(() => peer.send(ack(command, 0)), 400);
    });
    await expect(link.disarm()).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
    expect(orders(peer)).toHaveLength(1);
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
    await expect(link.disarm()).rejects.toMatchObject({
      code: "vehicle_refused",
      message: `The vehicle refused to disarm (MAV_RESULT_FAILED): ${long}`,
    });
  });

  test("that is refused carries no status text about something else", async () => {
    const { peer, link } = await open();
    answerParam(peer, "FRAME_CLASS", 1);
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(text(6, "finished motor test"));
      peer.send(ack(command, 4));
    });
    await expect(link.motorTest(4, 5)).rejects.toMatchObject({
      message: "The vehicle refused to test the motor (MAV_RESULT_FAILED)",
    });
  });

  test("under way when the connection breaks has an unknown outcome, reported at once", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, timeoutMs: 10_000 } });
    peer.on(common.CommandLong, () => peer.disconnect());
    await expect(link.disarm()).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The order to disarm was sent"),
    });
    expect(link.state).toBe("closed");
  });

  test("that is queued when the connection breaks is reported as not sent", async () => {
    const { peer, link } = await open({}, { command: { ...QUICK_TIMINGS.command, timeoutMs: 10_000 } });
    peer.on(common.CommandLong, () => peer.disconnect());
    const [first, second] = await Promise.allSettled([link.disarm(), link.arm()]);
    expect(first).toMatchObject({ reason: { code: "outcome_unknown" } });
    expect(second).toMatchObject({ reason: { code: "vehicle_unreachable" } });
    await expect(link.disarm()).rejects.toMatchObject({ code: "vehicle_unreachable" });
    expect(orders(peer)).toHaveLength(1);
  });

  test("on a link whose lease is lost is not sent, and is reported as not sent", async () => {
    const thePeer = await startPeer();
    let mayUse = true;
    const pool = createLinkPool({ mavlink: { systemId: 245, timings: QUICK_TIMINGS }, mayUse: () => mayUse });
    const target = { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" } as const;
    try {
      const arming = pool.withLink(target, (link) => {
        mayUse = false;
        return link.disarm();
      });
      await expect(arming).rejects.toMatchObject({ code: "vehicle_unreachable" });
      expect(thePeer.of(common.CommandLong)).toEqual([]);
    } finally {
      await pool.drain();
      await thePeer.close();
    }
  });

  test("to take off that was repeated and refused has an unknown outcome when the connection then breaks", async () => {
    const { peer, link } = await open({ state: { baseMode: 129, customMode: 4 } });
    let flies = false;
    peer.on(common.CommandLong, ({ command, confirmation }) => {
      if (command === 22 && confirmation > 0) peer.send(ack(command, 4));
      if (command === 22) flies = true;
      if (command !== 512) return;
      if (flies) peer.disconnect();
      else peer.send(ack(command, 2));
    });
    await expect(link.takeoff(5)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The order to take off was sent"),
    });
  });
});
