import { planHash } from "../../../domain/mission-item";
import type { MavlinkPeer, PeerOptions } from "../../../testing/fakes/mavlink-peer";
import { scriptedLinks } from "../../../testing/fakes/scripted-link";
import { missionItem } from "../../../testing/worlds/plans";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

/** Missions and fences against a scripted autopilot that stores what it is sent and answers as each test says. */

const openLink = scriptedLinks();

type Stored = common.MissionItemInt;
const US = { targetSystem: 245, targetComponent: 190 };
const FENCE = 1;

interface Store {
  readonly items: Stored[];
  /** What the autopilot does with MISSION_COUNT and with an item, for tests that come before it. */
  begin: (count: common.MissionCount) => void;
  take: (item: Stored) => void;
  /** Called with each item number as it is about to be requested; returns how often to ask for it. */
  timesAsked: (seq: number) => number;
  /** Requests that get no item are repeated: by this kind. */
  request: typeof common.MissionRequest | typeof common.MissionRequestInt;
  /** The acknowledgement of the whole is lost. */
  losesAcknowledgement: boolean;
  /** What the autopilot makes of an item when it gives it back. */
  givesBack: (item: Stored) => Stored;
}

async function open(options: PeerOptions = {}) {
  const { peer, link } = await openLink(options, { param: { timeoutMs: 20, attempts: 1 } });
  return { peer, link, store: keepPlans(peer) };
}

/** The receiving and giving half of the mission protocol, by the book; `store` bends it. */
function keepPlans(thePeer: MavlinkPeer): Store {
  let expected = 0;
  const ask = (seq: number, missionType: number) => {
    for (let time = 0; time < store.timesAsked(seq); time++) {
      thePeer.send(build(store.request, { ...US, seq, missionType }));
    }
  };
  const store: Store = {
    items: [],
    begin: ({ count, missionType }) => {
      store.items.length = 0;
      expected = count;
      ask(0, missionType);
    },
    take: (item) => {
      if (item.seq !== store.items.length) {
        thePeer.send(build(common.MissionAck, { ...US, type: 13, missionType: item.missionType }));
        return;
      }
      store.items.push(item);
      if (store.items.length < expected) ask(store.items.length, item.missionType);
      else if (!store.losesAcknowledgement) {
        thePeer.send(build(common.MissionAck, { ...US, type: 0, missionType: item.missionType }));
      }
    },
    timesAsked: () => 1,
    request: common.MissionRequest,
    losesAcknowledgement: false,
    givesBack: (item) => item,
  };
  thePeer.on(common.MissionCount, store.begin);
  thePeer.on(common.MissionItemInt, store.take);
  thePeer.on(common.MissionRequestList, ({ missionType }) =>
    thePeer.send(build(common.MissionCount, { ...US, count: store.items.length, missionType })),
  );
  thePeer.on(common.MissionRequestInt, ({ seq, missionType }) => {
    const item = store.items[seq];
    if (!item) return;
    thePeer.send(Object.assign(new common.MissionItemInt(), store.givesBack(item), { ...US, missionType }));
  });
  thePeer.on(common.MissionSetCurrent, ({ seq }) => thePeer.send(build(common.MissionCurrent, { seq })));
  thePeer.on(common.MissionClearAll, ({ missionType }) => {
    store.items.length = 0;
    thePeer.send(build(common.MissionAck, { ...US, type: 0, missionType }));
  });
  return store;
}

const PLAN = [missionItem({ command: 22 }), missionItem(), missionItem({ x_lat: -47.5 })];

describe("a mission", () => {
  test("is sent to ArduPilot after a placeholder for home, which the plan read back does not have", async () => {
    const { link, store } = await open();
    const { items, hash } = await link.uploadMission(PLAN);
    expect(store.items.map(({ seq, command }) => [seq, command])).toEqual([
      [0, 16],
      [1, 22],
      [2, 16],
      [3, 16],
    ]);
    expect(store.items[1]).toMatchObject({ frame: 3, x: 471_234_567, y: 87_654_321, z: 20, autocontinue: 1 });
    expect(items).toEqual(PLAN);
    expect(hash).toBe(planHash(PLAN));
    await expect(link.readMission()).resolves.toEqual({ items, hash, is_mixture: false });
  });

  test("is sent to PX4 as it is, with either kind of item request", async () => {
    const { link, store } = await open({ autopilot: 12 });
    store.request = common.MissionRequestInt;
    const { items } = await link.uploadMission(PLAN);
    expect(store.items).toHaveLength(3);
    expect(items).toEqual(PLAN);
  });

  test("succeeds when the vehicle repeats requests and rejects an item that it got twice", async () => {
    const { link, store } = await open();
    store.timesAsked = () => 3;
    await expect(link.uploadMission(PLAN)).resolves.toMatchObject({ items: PLAN });
    expect(store.items).toHaveLength(4);
  });

  test("is read from ArduPilot several items at a time, and a request that is lost holds up no other", async () => {
    const { peer, link, store } = await open();
    const plan = Array.from({ length: 20 }, (_, number) => missionItem({ x_lat: number }));
    await link.uploadMission(plan);
    const requests: number[] = [];
    peer.on(common.MissionRequestInt, ({ seq, missionType }) => {
      requests.push(seq);
      if (seq === 3 && requests.filter((earlier) => earlier === 3).length === 1) return;
      peer.send(Object.assign(new common.MissionItemInt(), store.items[seq], { ...US, missionType }));
    });
    await expect(link.readMission()).resolves.toMatchObject({ items: plan });
    expect(requests.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
    expect(requests.lastIndexOf(3)).toBeGreaterThan(requests.indexOf(8));
  });

  test("is read from PX4 in the order of its items, one after the other", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    await link.uploadMission(PLAN);
    let [next, unexpected] = [0, 0];
    peer.on(common.MissionRequestInt, ({ seq, missionType }) => {
      if (seq !== next) unexpected += 1;
      setImmediate(() => {
        next = seq + 1;
        peer.send(Object.assign(new common.MissionItemInt(), store.items[seq], { ...US, missionType }));
      });
    });
    await expect(link.readMission()).resolves.toMatchObject({ items: PLAN });
    expect(unexpected).toBe(0);
  });

  test("of PX4 that was read before is read again only when its checksum is another", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    let opaqueId = 7;
    peer.on(common.MissionRequestList, ({ missionType }) => {
      const count = store.items.length;
      peer.send(build(common.MissionCount, { ...US, count, missionType, opaqueId }));
    });
    await link.uploadMission(PLAN);
    const reads = async (work: () => Promise<unknown>) => {
      const before = peer.of(common.MissionRequestInt).length;
      await work();
      return peer.of(common.MissionRequestInt).length - before;
    };
    // The upload's own reading back.
    expect(await reads(() => link.uploadMission(PLAN))).toBe(PLAN.length);
    opaqueId = 8;
    expect(await reads(() => link.uploadMission(PLAN))).toBe(2 * PLAN.length);
    expect(await reads(() => link.readMission())).toBe(PLAN.length);
  });

  test("whose last acknowledgement is lost succeeds when it reads back as sent", async () => {
    const { link, store } = await open();
    store.losesAcknowledgement = true;
    await expect(link.uploadMission(PLAN)).resolves.toMatchObject({ items: PLAN });
  });

  test("whose last item came twice succeeds when it reads back as sent, although the vehicle rejects the copy", async () => {
    const { peer, link, store } = await open();
    store.losesAcknowledgement = true;
    store.timesAsked = (seq) => (seq === PLAN.length ? 2 : 1);
    peer.on(common.MissionItemInt, (sent) => {
      if (sent.seq < store.items.length) peer.send(build(common.MissionAck, { ...US, type: 1 }));
      else store.take(sent);
    });
    await expect(link.uploadMission(PLAN)).resolves.toMatchObject({ items: PLAN });
    expect(store.items).toHaveLength(4);
  });

  test("waits while the vehicle is still busy with a transfer that broke off", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    let counts = 0;
    peer.on(common.MissionCount, (count) => {
      counts += 1;
      if (counts < 3) peer.send(build(common.MissionAck, { ...US, type: 1 }));
      else store.begin(count);
    });
    await expect(link.uploadMission(PLAN)).resolves.toMatchObject({ items: PLAN });
  });

  test("that reads back differently fails with the difference", async () => {
    const { link, store } = await open();
    store.givesBack = (stored) =>
      stored.seq === 2 ? Object.assign(new common.MissionItemInt(), stored, { z: 200 }) : stored;
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code: "transfer_failed",
      message: expect.stringContaining("item 2: altitude 20 became 200"),
    });
  });

  test("that gets no answer fails, and the error says that the vehicle's plan may be truncated", async () => {
    const { link, peer } = await open();
    peer.on(common.MissionCount, () => {});
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("it may hold the one before, whole or in part"),
    });
  });

  test("that the vehicle stops requesting fails, and the error says what plan it may hold", async () => {
    const { link, store } = await open();
    store.timesAsked = (seq) => (seq < 2 ? 1 : 0);
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code: "vehicle_timeout",
      message: expect.stringContaining("item 2 of 4"),
    });
  });

  test.each([
    ["broke off in the middle fails", 2, "transfer_failed", "broke off after 2 of 4 items"],
    ["was sent to its end is unknown", 4, "outcome_unknown", "could not be read back"],
  ])("whose connection breaks when it %s", async (_name, taken, code, message) => {
    const { peer, link, store } = await open();
    peer.on(common.MissionItemInt, (sent) => {
      if (sent.seq === taken - 1) peer.disconnect();
      else store.take(sent);
    });
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test("is read from its beginning again when PX4, which lost some requests, has ended the reading", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    const { items } = await link.uploadMission(PLAN);
    const stored = peer.of(common.MissionItemInt);
    let [lost, isReading] = [0, true];
    peer.on(common.MissionRequestList, ({ missionType }) => {
      isReading = true;
      peer.send(build(common.MissionCount, { ...US, count: stored.length, missionType }));
    });
    peer.on(common.MissionRequestInt, ({ seq }) => {
      if (seq === 2 && lost < 3) {
        lost += 1;
        isReading = lost < 3;
      }
      const item = stored[seq];
      if (isReading && item && (seq !== 2 || lost >= 3))
        peer.send(Object.assign(new common.MissionItemInt(), item, US));
    });
    await expect(link.readMission()).resolves.toMatchObject({ items });
    expect(lost).toBe(3);
  });

  test("that cannot be read back has an unknown outcome, whether the connection breaks or the vehicle stops answering", async () => {
    const silent = await open();
    silent.peer.on(common.MissionRequestInt, () => {});
    const broken = await open();
    broken.peer.on(common.MissionRequestList, () => {
      if (broken.store.items.length > 0) broken.peer.disconnect();
      else broken.peer.send(build(common.MissionCount, { ...US, count: 0 }));
    });
    for (const { link, store } of [silent, broken]) {
      await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
        code: "outcome_unknown",
        message: expect.stringContaining("the vehicle may hold it, the one before or a mixture"),
      });
      expect(store.items).toHaveLength(4);
    }
    await expect(broken.link.uploadMission(PLAN)).rejects.toMatchObject({ code: "vehicle_unreachable" });
    await expect(silent.link.readMission()).rejects.toMatchObject({ code: "vehicle_timeout" });
  });

  test("that is refused carries the reason and the vehicle's status text", async () => {
    const { peer, link } = await open();
    peer.on(common.MissionCount, () => {
      peer.send(build(common.MissionAck, { ...US, type: 4 }));
      peer.send(build(common.StatusText, { severity: 3, text: "Mission too long" }));
    });
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code: "vehicle_refused",
      message:
        "The vehicle refused to take the mission (MAV_MISSION_NO_SPACE): Mission too long; the plan that was on board is still there",
    });
  });

  /** Refuses a command as it comes, with a text about arming beside it. */
  const refuseCommand = ({ peer, store }: Awaited<ReturnType<typeof open>>, command: number) => {
    const { take } = store;
    peer.on(common.MissionItemInt, (sent) => {
      if ((sent.command as number) !== command) return take(sent);
      peer.send(build(common.StatusText, { severity: 2, text: "PreArm: Need Position Estimate" }));
      peer.send(build(common.MissionAck, { ...US, type: 3 }));
    });
  };

  test("with a refused row is named by it, and the plan that was on board is put back", async () => {
    const scene = await open();
    const { link, store } = scene;
    await link.uploadMission(PLAN);
    const before = structuredClone(store.items);
    refuseCommand(scene, 9999);
    const rows = PLAN.map((item, index) => ({ ...item, z_alt: 50, row: { sequence: 10 * index } }));
    const plan = [...rows.slice(0, 2), { ...missionItem({ command: 9999 }), row: { sequence: 20 } }];
    await expect(link.uploadMission(plan)).rejects.toMatchObject({
      code: "vehicle_refused",
      message:
        "The mission was refused: row 20, command 9999 (MAV_MISSION_UNSUPPORTED); the plan that was on board is restored",
    });
    expect(store.items).toEqual(before);
  });

  test("that comes back different is replaced by the plan that was on board", async () => {
    const { link, store } = await open();
    await link.uploadMission(PLAN);
    store.givesBack = (stored) =>
      stored.z === 50 ? Object.assign(new common.MissionItemInt(), stored, { z: 5 }) : stored;
    await expect(link.uploadMission([missionItem({ z_alt: 50 })])).rejects.toMatchObject({
      code: "transfer_failed",
      message: expect.stringMatching(/altitude 50 became 5; the plan that was on board is restored$/),
    });
    expect(store.items).toHaveLength(4);
  });

  test("that was refused and whose predecessor is refused too says so", async () => {
    const scene = await open();
    const { link } = scene;
    await link.uploadMission(PLAN);
    refuseCommand(scene, 16);
    await expect(link.uploadMission([missionItem({ z_alt: 50 })])).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/could not be put back \(.*\); what it holds now may be a mixture/),
    });
  });

  test("is answered with what PX4 says of it after it took it", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    const { take } = store;
    peer.on(common.MissionItemInt, (sent) => {
      take(sent);
      if (store.items.length < PLAN.length) return;
      peer.send(build(common.StatusText, { severity: 2, text: "Geofence violation for waypoint 2\t" }));
      peer.send(build(common.StatusText, { severity: 2, text: "Preflight Fail: Compass" }));
    });
    await expect(link.uploadMission(PLAN)).resolves.toMatchObject({
      warnings: ["Geofence violation for waypoint 2"],
    });
  });

  test("is not what PX4 begins with unless it reports the first item as its current one", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    peer.on(common.MissionSetCurrent, () => peer.send(build(common.MissionCurrent, { seq: 2 })));
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({
      code: "transfer_failed",
      message:
        "The mission is on board as it was sent, but the vehicle would begin with item 3 of the mission, not with item 1",
    });
  });

  test("sent twice at once is transferred one after the other", async () => {
    const { peer, link } = await open();
    const other = [missionItem({ z_alt: 99 })];
    const [first, second] = await Promise.all([link.uploadMission(PLAN), link.uploadMission(other)]);
    expect(first?.items).toEqual(PLAN);
    expect(second?.items).toEqual(other);
    const kinds = peer.received.flatMap(({ message }) => {
      if (message instanceof common.MissionCount) return ["upload"];
      return message instanceof common.MissionRequestList ? ["read"] : [];
    });
    expect(kinds).toEqual(["read", "upload", "read", "read", "upload", "read"]);
  });

  test("is not changed while the vehicle flies it, unless forced", async () => {
    const ARMED_IN_AUTO = { baseMode: 129, customMode: 3 };
    const { peer, link } = await open({ state: ARMED_IN_AUTO });
    await expect(link.uploadMission(PLAN)).rejects.toMatchObject({ code: "conflict" });
    expect(peer.of(common.MissionCount)).toEqual([]);
    await expect(link.uploadMission(PLAN, { force: true })).resolves.toMatchObject({ items: PLAN });
  });

  test("with an item that MAVLink cannot carry sends nothing", async () => {
    const { peer, link } = await open();
    await expect(link.uploadMission([missionItem({ x_lat: 91 })])).rejects.toMatchObject({
      code: "invalid_input",
    });
    await expect(link.uploadMission([missionItem({ param1: Number.NaN })])).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(peer.of(common.MissionCount)).toEqual([]);
  });
});

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
    peer.on(common.ParamRequestRead, ({ paramId }) =>
      peer.send(build(common.ParamValue, { paramId, paramValue: values[paramId] ?? 0, paramType: 2 })),
    );
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
      peer.on(common.ParamRequestRead, ({ paramId }) =>
        peer.send(build(common.ParamValue, { paramId, paramValue: values[paramId] ?? 0, paramType: 9 })),
      );
      await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: false } });
      values[name] = acts;
      await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: true } });
    },
  );

  test("is active where ArduPilot switches it on by itself", async () => {
    const { peer, link } = await open();
    const values: Record<string, number> = { FENCE_AUTOENABLE: 3, FENCE_ACTION: 1, FENCE_TYPE: 7 };
    peer.on(common.ParamRequestRead, ({ paramId }) =>
      peer.send(build(common.ParamValue, { paramId, paramValue: values[paramId] ?? 0, paramType: 2 })),
    );
    await expect(link.uploadFence(square)).resolves.toMatchObject({ enforcement: { active: true } });
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
      if (store.items.length === 4) peer.send(build(common.StatusText, { severity: 2, text }));
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
      peer.send(build(common.CommandAck, { command, result: 0, ...US }));
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
      peer.send(build(common.MissionAck, { ...US, type: 0, missionType })),
    );
    await expect(link.uploadFence([])).rejects.toMatchObject({ code: "transfer_failed" });
    expect(store.items).toHaveLength(4);
  });

  test("that is refused carries the vehicle's status text", async () => {
    const { peer, link } = await open();
    peer.on(common.MissionCount, () => {
      peer.send(build(common.StatusText, { severity: 4, text: "Fence: polygon self-intersects" }));
      peer.send(build(common.MissionAck, { ...US, type: 1, missionType: FENCE }));
    });
    await expect(link.uploadFence(square)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringMatching(/MAV_MISSION_ERROR\).*self-intersects/),
    });
  });
});
