import { planHash } from "../../../domain/mission-item";
import type { MavlinkPeer } from "../../../testing/fakes/mavlink-peer";
import { VERDICT_MS } from "../../../testing/fakes/scripted-link";
import { FENCE, scriptedPlans, TO_GATEWAY } from "../../../testing/fakes/scripted-plans";
import { FakeTransferRecords } from "../../../testing/fakes/transfer-records";
import { missionItem } from "../../../testing/worlds/plans";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

/** MAV_TYPE, MAV_AUTOPILOT and MAV_RESULT. */
const COPTER = 2;
const ROVER = 10;
const PX4 = 12;
const DENIED = 2;

const open = scriptedPlans();

/** Lets the peer have these parameters, as they are when they are asked for; others are 0. */
const answerParams = (peer: MavlinkPeer, values: Readonly<Record<string, number>>, paramType: number) =>
  peer.on(common.ParamRequestRead, ({ paramId }) =>
    peer.send(build(common.ParamValue, { paramId, paramValue: values[paramId] ?? 0, paramType })),
  );

describe("a fence", () => {
  const square = [0, 1, 2, 3].map((corner) =>
    missionItem({ command: 5001, param1: 4, x_lat: 47 + corner / 1000, z_alt: 0 }),
  );

  test("is sent without a home item, and may be read back in another frame", async () => {
    const { link, store } = await open();
    store.givesBack = (stored) => Object.assign(new common.MissionItemInt(), stored, { frame: 0 });
    await expect(link.uploadFence(square)).resolves.toEqual({
      items: 4,
      enforcement: { active: false, params: [] },
      warnings: [],
    });
    expect(store.items.map(({ command, missionType }) => [command, missionType])).toEqual(
      Array(4).fill([5001, FENCE]),
    );
  });

  test("is active when the vehicle's parameters enable it", async () => {
    const { peer, link } = await open();
    const values: Record<string, number> = { FENCE_ENABLE: 1, FENCE_ACTION: 1, FENCE_TYPE: 7 };
    answerParams(peer, values, 2);
    await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: true } });
    values.FENCE_TYPE = 3;
    await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: false } });
  });

  test.each([
    ["ArduPilot", 3, "FENCE_ACTION", 0, 1],
    ["PX4", 12, "GF_ACTION", 1, 2],
  ] as const)(
    "is not active where the vehicle would only tell of it: %s, autopilot %d, %s %d is not, %d is",
    async (_, autopilot, name, tells, acts) => {
      const { peer, link } = await open({ autopilot });
      const values: Record<string, number> = { FENCE_ENABLE: 1, FENCE_TYPE: 7, [name]: tells };
      answerParams(peer, values, 9);
      await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: false } });
      values[name] = acts;
      await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: true } });
    },
  );

  test.each([
    ["copter", COPTER, 0, false],
    ["copter", COPTER, 1, true],
    ["copter", COPTER, 3, true],
    // Rovers do not take off.
    ["rover", ROVER, 1, false],
    ["rover", ROVER, 2, false],
    ["rover", ROVER, 3, true],
  ])("of a %s (type %i) with FENCE_AUTOENABLE %i is active: %s", async (_kind, type, value, active) => {
    const { peer, link } = await open({ type });
    const values: Record<string, number> = { FENCE_AUTOENABLE: value, FENCE_ACTION: 1, FENCE_TYPE: 7 };
    answerParams(peer, values, 2);
    await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active } });
  });

  test("that PX4 calls invalid is not active", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    peer.on(common.ParamRequestRead, ({ paramId }) =>
      peer.send(build(common.ParamValue, { paramId, paramValue: 3, paramType: 9 })),
    );
    const { take } = store;
    const text = "Geofence invalid, doesn't contain Home position";
    peer.on(common.MissionItemInt, (sent) => {
      take(sent);
      // After the acknowledgement, and after the fence was read back.
      if (store.items.length === 4)
        setTimeout(() => peer.send(build(common.StatusText, { severity: 2, text })), VERDICT_MS);
    });
    await expect(link.uploadFence(square)).resolves.toMatchObject({
      enforcement: { active: false },
      warnings: [text],
    });
  });

  test("that an armed vehicle is outside of is taken by force only", async () => {
    const ARMED = { baseMode: 129, customMode: 4 };
    const { peer, link } = await open({ state: ARMED });
    let lat = 48;
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      peer.send(build(common.CommandAck, { command, result: 0, ...TO_GATEWAY }));
      if (_param1 === common.GlobalPositionInt.MSG_ID)
        peer.send(build(common.GlobalPositionInt, { lat: lat * 1e7, lon: 87_654_321 }));
    });
    const circle = [missionItem({ command: 5003, param1: 100 })];
    await expect(link.uploadFence(circle)).rejects.toMatchObject({ code: "conflict" });
    expect(peer.of(common.MissionCount)).toEqual([]);
    await expect(link.uploadFence(circle, { force: true })).resolves.toMatchObject({ items: 1 });
    lat = 47.1234567;
    await expect(link.uploadFence(circle)).resolves.toMatchObject({ items: 1 });
  });

  test("is compared with the next position when PX4 refuses to send the last one again", async () => {
    const { peer, link } = await open({ autopilot: PX4, state: { baseMode: 129, customMode: 4 << 16 } });
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      const isPosition = _param1 === common.GlobalPositionInt.MSG_ID;
      peer.send(build(common.CommandAck, { command, result: isPosition ? DENIED : 0, ...TO_GATEWAY }));
      if (isPosition) peer.send(build(common.GlobalPositionInt, { lat: 47.1234567e7, lon: 87_654_321 }));
    });
    const circle = [missionItem({ command: 5003, param1: 100 })];
    await expect(link.uploadFence(circle)).resolves.toMatchObject({ items: 1 });
  });

  test("that is cleared without an answer has an unknown outcome", async () => {
    const { peer, link } = await open();
    peer.on(common.MissionClearAll, () => peer.disconnect());
    await expect(link.uploadFence([])).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("The fence was sent"),
    });
  });

  test("is reported as cleared only when the vehicle counts no items", async () => {
    const { peer, link, store } = await open();
    await link.uploadFence(square);
    await expect(link.uploadFence([])).resolves.toMatchObject({ items: 0 });
    await link.uploadFence(square);
    peer.on(common.MissionClearAll, ({ missionType }) =>
      peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 0, missionType })),
    );
    await expect(link.uploadFence([])).rejects.toMatchObject({ code: "transfer_failed" });
    expect(store.items).toHaveLength(4);
  });

  test("that is refused carries the vehicle's status text", async () => {
    const { peer, link } = await open();
    peer.on(common.MissionCount, () => {
      peer.send(build(common.StatusText, { severity: 4, text: "Fence: polygon self-intersects" }));
      peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 1, missionType: FENCE }));
    });
    await expect(link.uploadFence(square)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/MAV_MISSION_ERROR\).*self-intersects/),
    });
  });

  test("is read as it is on board, an empty one too", async () => {
    const { link } = await open();
    await expect(link.readFence()).resolves.toEqual({ items: [], hash: planHash([]), is_mixture: false });
    await link.uploadFence(square);
    const hash = planHash(square);
    await expect(link.readFence()).resolves.toEqual({ items: square, hash, is_mixture: false });
  });

  test("is read when the upload under way has ended", async () => {
    const { link } = await open();
    const uploaded = link.uploadFence(square);
    await expect(link.readFence()).resolves.toMatchObject({ items: square });
    await expect(uploaded).resolves.toMatchObject({ items: 4 });
  });

  test("of a vehicle without the fence protocol cannot be read, and the error says so", async () => {
    const { peer, link } = await open();
    peer.on(common.MissionRequestList, ({ missionType }) =>
      peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 3, missionType })),
    );
    await expect(link.readFence()).rejects.toMatchObject({
      code: "vehicle_refused",
      message: "The vehicle refused to give back the fence (MAV_MISSION_UNSUPPORTED)",
    });
  });

  test("that an upload left half is told to be a mixture, as long as a mission is flown", async () => {
    const AUTO = { baseMode: 129, customMode: 3 };
    const { peer, link, store } = await open({ state: AUTO }, new FakeTransferRecords());
    await link.uploadFence(square, { force: true });
    const larger = square.map((corner) => ({ ...corner, y_long: 9 }));
    peer.on(common.MissionCount, ({ missionType }) => {
      const isFirst = peer.of(common.MissionCount).length === 2;
      peer.send(
        isFirst
          ? build(common.MissionRequestInt, { ...TO_GATEWAY, seq: 0, missionType })
          : build(common.MissionAck, { ...TO_GATEWAY, type: 1, missionType }),
      );
    });
    peer.on(common.MissionItemInt, (sent) => {
      const { seq, missionType } = sent;
      store.items[seq] = sent;
      peer.send(
        seq === 0
          ? build(common.MissionRequestInt, { ...TO_GATEWAY, seq: 1, missionType })
          : build(common.MissionAck, { ...TO_GATEWAY, type: 1, missionType }),
      );
    });
    await expect(link.uploadFence(larger, { force: true })).rejects.toThrow("mixture");
    await expect(link.readFence()).resolves.toMatchObject({
      items: [...larger.slice(0, 2), ...square.slice(2)],
      is_mixture: true,
    });
  });
});
