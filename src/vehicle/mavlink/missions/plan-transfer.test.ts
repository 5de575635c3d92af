import { planHash } from "../../../domain/mission-item";
import { VERDICT_MS } from "../../../testing/fakes/scripted-link";
import { PLAN, scriptedPlans, TO_GATEWAY } from "../../../testing/fakes/scripted-plans";
import { missionItem } from "../../../testing/worlds/plans";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

const open = scriptedPlans();

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
      if (sent.seq < store.items.length) peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 1 }));
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
      if (counts < 3) peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 1 }));
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

  test("that cannot be read back has an unknown outcome, whether the connection breaks or the vehicle stops answering", async () => {
    const silent = await open();
    silent.peer.on(common.MissionRequestInt, () => {});
    const broken = await open();
    broken.peer.on(common.MissionRequestList, () => {
      if (broken.store.items.length > 0) broken.peer.disconnect();
      else broken.peer.send(build(common.MissionCount, { ...TO_GATEWAY, count: 0 }));
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
      peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 4 }));
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
      peer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 3 }));
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
      message: expect.stringMatching(/could not be put back \(.*\); the vehicle may now hold a mixture/),
    });
  });

  test("is answered with what PX4 says of it after it took it", async () => {
    const { peer, link, store } = await open({ autopilot: 12 });
    const { take } = store;
    peer.on(common.MissionItemInt, (sent) => {
      take(sent);
      if (store.items.length < PLAN.length) return;
      const say = (text: string) => peer.send(build(common.StatusText, { severity: 2, text }));
      // After the acknowledgement, and after the plan was read back.
      setTimeout(() => {
        say("Geofence violation for waypoint 2\t");
        say("Preflight Fail: Compass");
      }, VERDICT_MS);
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
