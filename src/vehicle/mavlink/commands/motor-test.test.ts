import { armed, onCommand, orders } from "../../../testing/fakes/scripted-flight";
import { ack, answerParam, scriptedLinks } from "../../../testing/fakes/scripted-link";
import { eventually } from "../../../testing/until";

const open = scriptedLinks();

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
