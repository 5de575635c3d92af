import { loadConfig, onboardConfig } from "../platform/config";
import { createLogger } from "../platform/process/log";
import { openRedis } from "../platform/redis/client";
import { atEndOfFile, freshRedis } from "../testing";
import { Autopilot, type AutopilotName, autopilots, isPx4, isRover } from "../testing/autopilots/autopilot";
import { customModeOf } from "../testing/autopilots/contradiction";
import { Witness } from "../testing/autopilots/witness";
import { TestSticks } from "../testing/sticks";
import { eventually } from "../testing/until";
import { startOnboard } from ".";

jest.setTimeout(240_000);

const IP = "10.71.240.1";

/** MAV_CMD numbers, and MAV_MODE_FLAG_CUSTOM_MODE_ENABLED. */
const [ARM, TAKEOFF, SET_MODE, CUSTOM] = [400, 22, 176, 1];

const hovering = (name: AutopilotName) => (isPx4(name) ? "AUTO.LOITER" : "GUIDED");
const byStick = (name: AutopilotName) => (isPx4(name) ? "POSCTL" : "LOITER");
const stopped = (name: AutopilotName) => (isPx4(name) ? "AUTO.LOITER" : "BRAKE");

describe.each(autopilots.filter((name) => !isRover(name)))("%s", (name) => {
  let autopilot: Autopilot;
  let witness: Witness;
  let pilot: TestSticks;

  const modeIs = (mode: string, seconds = 20) =>
    witness.until(
      `the mode ${mode}`,
      async () => (await witness.fresh()).customMode === customModeOf(name, mode),
      seconds,
    );

  /** By the witness: no gateway is needed for sticks. */
  async function enter(mode: string): Promise<void> {
    const number = customModeOf(name, mode) as number;
    // PX4's command has the main mode and the sub mode, as two bytes of the number.
    const params = isPx4(name) ? [CUSTOM, (number >> 16) & 0xff, number >> 24] : [CUSTOM, number];
    // PX4 refuses it until it has got sticks for a moment.
    await witness.until(`that it takes ${mode}`, async () => (await witness.command(SET_MODE, params)) === 0);
    await modeIs(mode);
  }

  beforeAll(async () => {
    autopilot = await Autopilot.start(name, { speed: 1 });
    const { url } = await freshRedis();
    const env = {
      ...{ DRONE_IP: IP, REDIS_URL: url, ONBOARD_VEHICLE: `127.0.0.1:${autopilot.port}` },
      ...{ ONBOARD_PORT: "0", LOG_LEVEL: "silent" },
    };
    const agent = await startOnboard(loadConfig(onboardConfig, env));
    atEndOfFile(() => agent.lifecycle.stop("the tests are over"));
    await eventually("the agent's link", () => agent.autopilot.vehicle !== undefined, 60_000);
    witness = Witness.at(autopilot.witnessPort);
    await witness.readyToArm();
    const redis = openRedis(url, createLogger("test", "silent"));
    atEndOfFile(async () => redis.disconnect());
    pilot = new TestSticks((frame) => void redis.publish(`${IP}:gamepad_input`, frame));
  });
  afterAll(async () => {
    pilot.letGo();
    witness.stop();
    await autopilot.stop();
  });

  async function takeOff(): Promise<void> {
    if (!isPx4(name)) await enter("GUIDED");
    await witness.until("that it is armed", async () => (await witness.command(ARM, [1])) === 0);
    const height = isPx4(name) ? null : 10;
    expect(await witness.command(TAKEOFF, [null, 0, 0, null, null, null, height])).toBe(0);
    await witness.until("that it hovers", async () => {
      const { relativeAltitude, climb, customMode } = await witness.fresh();
      return (
        relativeAltitude > 1.5 && Math.abs(climb) < 0.2 && customMode === customModeOf(name, hovering(name))
      );
    });
  }

  /** Flies to the north for a while, and lets go. Returns when the sticks ended, by the vehicle's clock. */
  async function flyBySticks(): Promise<number> {
    pilot.hold({});
    await enter(byStick(name));
    pilot.hold({ pitch: 0.5 });
    await witness.until("that it moves", async () => (await witness.fresh()).speed > 1);
    pilot.letGo();
    return (await witness.fresh()).clock;
  }

  test("sticks that end stop the vehicle, and PX4 returns after six seconds where COM_RCL_EXCEPT is 0", async () => {
    if (isPx4(name)) expect(await witness.setParam("COM_RCL_EXCEPT", 0)).toBe(0);
    await takeOff();
    const ended = await flyBySticks();
    await modeIs(stopped(name));
    if (isPx4(name)) {
      await modeIs("AUTO.RTL");
      expect((await witness.fresh()).clock - ended).toBeGreaterThan(4);
    } else {
      await witness.until("that it stands", async () => (await witness.fresh()).speed < 0.3);
      await witness.until("ten seconds later", async () => (await witness.fresh()).clock > ended + 10);
      expect((await witness.fresh()).customMode).toBe(customModeOf(name, stopped(name)));
    }
  });

  if (isPx4(name)) {
    test("it stays where it stopped when COM_RCL_EXCEPT has Hold", async () => {
      // Bits: mission, hold.
      expect(await witness.setParam("COM_RCL_EXCEPT", 3)).toBe(3);
      await enter("AUTO.LOITER");
      const ended = await flyBySticks();
      await modeIs(stopped(name));
      await witness.until("fifteen seconds later", async () => (await witness.fresh()).clock > ended + 15);
      expect((await witness.fresh()).customMode).toBe(customModeOf(name, stopped(name)));
    });
  }
});
