import { armed, HOME, onCommand, orders } from "../../../testing/fakes/scripted-flight";
import { ack, scriptedLinks } from "../../../testing/fakes/scripted-link";
import { build } from "../wire/codec";
import { common } from "../wire/messages";

const open = scriptedLinks();

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

  test("is sent to a vehicle that has landed when its word that it has is lost once", async () => {
    const { peer, link } = await open({ state: armed(4) });
    const answers: (number | undefined)[] = [2, undefined, 1];
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      peer.send(ack(command, 0));
      const landedState = _param1 === 245 ? answers.shift() : undefined;
      if (landedState !== undefined) peer.send(build(common.ExtendedSysState, { landedState }));
    });
    await expect(link.takeoff(5)).rejects.toThrow(/already in the air/);
    await link.takeoff(5);
    expect(orders(peer)).toMatchObject([{ command: 22 }]);
    expect(answers).toEqual([]);
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

  test("on PX4 counts from home as it is now, when the answer that says so is lost once", async () => {
    const state = armed(0x03040000);
    const { peer, link } = await open({ autopilot: 12, state });
    const homes = [488_000, undefined, 500_000];
    peer.on(common.CommandLong, ({ command, _param1 }) => {
      if (command === 22) state.customMode = 0x02040000;
      peer.send(ack(command, command === 512 && ![242, 245].includes(_param1) ? 2 : 0));
      if (command !== 512) return;
      if (_param1 === 245) peer.send(build(common.ExtendedSysState, { landedState: 1 }));
      const altitude = _param1 === 242 ? homes.shift() : undefined;
      if (altitude !== undefined) peer.send(build(common.HomePosition, { ...HOME, altitude }));
    });
    await link.takeoff(12);
    state.customMode = 0x03040000;
    await link.takeoff(12);
    expect(orders(peer)).toMatchObject([{ _param7: 500 }, { _param7: 512 }]);
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
