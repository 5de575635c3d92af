import { ack, QUICK_TIMINGS, scriptedLinks } from "../../../testing/fakes/scripted-link";
import { common } from "../wire/messages";

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
