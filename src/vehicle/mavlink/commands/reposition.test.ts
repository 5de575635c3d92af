import type { MavlinkPeer } from "../../../testing/fakes/mavlink-peer";
import { armed, HOME, onCommand } from "../../../testing/fakes/scripted-flight";
import { ack, scriptedLinks, text } from "../../../testing/fakes/scripted-link";
import type { VehicleLink } from "../../link";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

const open = scriptedLinks();

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

  test("is refused when the copter was touching the ground, and the mode is as before", async () => {
    const LAND = 9;
    const state = armed(LAND);
    const { peer, link } = await open({ state });
    const landed = { now: 4, next: 1 };
    peer.on(common.CommandLong, ({ command, _param1, _param2 }) => {
      if (command === 176) state.customMode = _param2;
      peer.send(ack(command, 0));
      if (command === 512 && _param1 === common.ExtendedSysState.MSG_ID)
        peer.send(build(common.ExtendedSysState, { landedState: landed.now }));
    });
    peer.on(common.CommandInt, ({ command }) => {
      state.customMode = 4;
      peer.send(ack(command, 0));
      landed.now = landed.next;
    });
    await expect(link.goTo(position)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/it has just landed; .*LAND, as before/),
    });
    expect(state.customMode).toBe(LAND);
    Object.assign(landed, { now: 4, next: 2 });
    await expect(link.goTo(position)).resolves.toMatchObject({ result: "MAV_RESULT_ACCEPTED" });
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
      const state = armed(0x03040000);
      const { peer, link } = await open({ autopilot: 12, state });
      peer.on(common.CommandLong, ({ command, _param1 }) => {
        if (command === 512 && _param1 === common.ExtendedSysState.MSG_ID && landed.now !== undefined) {
          peer.send(ack(command, 0));
          peer.send(build(common.ExtendedSysState, { landedState: landed.now }));
          return;
        }
        const target = _param1 === TARGET ? (targets.length > 1 ? targets.shift() : targets[0]) : undefined;
        const isHome = _param1 === common.HomePosition.MSG_ID;
        peer.send(ack(command, command === 512 && (isHome || target) ? 0 : 2));
        if (isHome) peer.send(build(common.HomePosition, HOME));
        if (target) peer.send(build(common.PositionTargetGlobalInt, target));
      });
      peer.on(common.CommandInt, ({ command }) => {
        peer.send(ack(command, 0));
        if (landed.disarms) state.baseMode = 1;
        if (landed.says) peer.send(text(6, landed.says));
      });
      return link;
    }
    const landed: { now?: number | undefined; disarms?: boolean; says?: string | undefined } = {};
    beforeEach(() => Object.assign(landed, { now: undefined, disarms: false, says: undefined }));
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

    test.each([
      ["is on the ground", { now: 1 }, "it has just landed"],
      ["has disarmed itself", { disarms: true }, "it is disarmed"],
      ["says that it has landed", { now: 2, says: "Disarmed by landing\t" }, "Disarmed by landing"],
    ])("is refused when it reports no target and %s", async (_, state, why) => {
      const link = await opened(undefined);
      Object.assign(landed, state);
      await expect(link.goTo(position)).rejects.toMatchObject({
        code: "vehicle_refused",
        message: expect.stringContaining(why),
      });
    });

    test("is not confirmed when it reports no target and flies", async () => {
      const link = await opened(undefined);
      landed.now = 2;
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
