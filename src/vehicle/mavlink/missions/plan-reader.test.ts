import { PLAN, scriptedPlans, TO_GATEWAY } from "../../../testing/fakes/scripted-plans";
import { missionItem } from "../../../testing/worlds/plans";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

const open = scriptedPlans();

describe("a mission", () => {
  test("is read from ArduPilot several items at a time, and a request that is lost holds up no other", async () => {
    const { peer, link, store } = await open();
    const plan = Array.from({ length: 20 }, (_, number) => missionItem({ x_lat: number }));
    await link.uploadMission(plan);
    const requests: number[] = [];
    peer.on(common.MissionRequestInt, ({ seq, missionType }) => {
      requests.push(seq);
      if (seq === 3 && requests.filter((earlier) => earlier === 3).length === 1) return;
      peer.send(Object.assign(new common.MissionItemInt(), store.items[seq], { ...TO_GATEWAY, missionType }));
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
        peer.send(
          Object.assign(new common.MissionItemInt(), store.items[seq], { ...TO_GATEWAY, missionType }),
        );
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
      peer.send(build(common.MissionCount, { ...TO_GATEWAY, count, missionType, opaqueId }));
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

  test("is read from its beginning again when PX4, which lost some requests, has ended the reading", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    const { items } = await link.uploadMission(PLAN);
    const stored = peer.of(common.MissionItemInt);
    let [lost, isReading] = [0, true];
    peer.on(common.MissionRequestList, ({ missionType }) => {
      isReading = true;
      peer.send(build(common.MissionCount, { ...TO_GATEWAY, count: stored.length, missionType }));
    });
    peer.on(common.MissionRequestInt, ({ seq }) => {
      if (seq === 2 && lost < 3) {
        lost += 1;
        isReading = lost < 3;
      }
      const item = stored[seq];
      if (isReading && item && (seq !== 2 || lost >= 3))
        peer.send(Object.assign(new common.MissionItemInt(), item, TO_GATEWAY));
    });
    await expect(link.readMission()).resolves.toMatchObject({ items });
    expect(lost).toBe(3);
  });
});
