import { setTimeout as delay } from "node:timers/promises";
import { createLogger } from "../platform/process/log";
import { until } from "../testing/until";
import type { VehicleIdentity } from "../vehicle";
import { StickPilot } from "./stick-pilot";

const copter: VehicleIdentity = { autopilot: "ardupilot", kind: "copter", systemId: 1, componentId: 1 };

/** A FAKE autopilot that keeps its mode, and takes modes when it is told to. */
class FakeAutopilot {
  vehicle: VehicleIdentity | undefined = copter;
  mode: string | undefined = "LOITER";
  armed: boolean | undefined = true;
  takes = true;
  sent = 0;
  readonly asked: { mode: string; at: number }[] = [];

  send = (): boolean => {
    this.sent++;
    return true;
  };

  setMode = async (mode: string): Promise<void> => {
    this.asked.push({ mode, at: performance.now() });
    if (!this.takes) throw new Error("It does not take the mode.");
    this.mode = mode;
  };
}

/** A pilot whose frames are believed, and fall silent after this. */
function steered() {
  const autopilot = new FakeAutopilot();
  const pilot = new StickPilot({
    autopilot,
    log: createLogger("test", "silent"),
    acknowledge: () => {},
    onState: () => {},
    now: () => performance.now(),
  });
  const frame = () => {
    const t = performance.now();
    const axes = { roll: 0, pitch: 0, throttle: 0, yaw: 0 };
    pilot.receive({ topic: "gamepad_input", text: JSON.stringify({ t, session: "s", axes }), pingSentAt: t });
  };
  return { autopilot, pilot, frame };
}

async function untilSteering({ pilot, frame }: ReturnType<typeof steered>): Promise<void> {
  await until(() => {
    frame();
    return pilot.state === "steering";
  });
}

test("the order to stop is repeated until it is accepted; centred sticks end after two seconds", async () => {
  const it = steered();
  it.autopilot.takes = false;
  await untilSteering(it);
  await until(() => it.autopilot.asked.length >= 6);
  expect(it.autopilot.asked.slice(0, 4).map(({ mode }) => mode)).toEqual(["BRAKE", "LAND", "BRAKE", "LAND"]);
  expect(it.pilot.state).toBe("stopping");
  await until(async () => {
    const before = it.autopilot.sent;
    // Here and below only time shows that nothing comes.
    await delay(300);
    return it.autopilot.sent === before;
  });
  const { sent } = it.autopilot;
  expect(sent).toBeGreaterThan(10);
  it.autopilot.takes = true;
  await until(() => it.pilot.state === "idle");
  expect(it.autopilot.mode).toBe("BRAKE");
  expect(it.autopilot.sent).toBe(sent);
});

test("a mode that sticks do not fly, or a landing, ends the orders", async () => {
  for (const ending of [{ mode: "RTL" }, { armed: false }]) {
    const it = steered();
    it.autopilot.takes = false;
    await untilSteering(it);
    await until(() => it.autopilot.asked.length >= 2);
    Object.assign(it.autopilot, ending);
    await until(() => it.pilot.state === "idle");
    expect(it.autopilot.mode).not.toBe("BRAKE");
  }
});

test("a pilot who returns ends the orders to stop; they begin again when the frames stop again", async () => {
  const it = steered();
  it.autopilot.takes = false;
  await untilSteering(it);
  await until(() => it.autopilot.asked.length >= 2);
  await untilSteering(it);
  const before = it.autopilot.asked.length;
  const steering = setInterval(it.frame, 50);
  await delay(1_200);
  expect(it.autopilot.asked).toHaveLength(before);
  clearInterval(steering);
  it.autopilot.takes = true;
  await until(() => it.autopilot.mode === "BRAKE");
});

test("a vehicle without a link is stopped when the link is back, however long that takes", async () => {
  const it = steered();
  await untilSteering(it);
  it.autopilot.vehicle = it.autopilot.mode = it.autopilot.armed = undefined;
  await until(() => it.pilot.state === "stopping");
  await delay(700);
  expect([it.pilot.state, it.autopilot.asked]).toEqual(["stopping", []]);
  Object.assign(it.autopilot, { vehicle: copter, mode: "LOITER", armed: true });
  await until(() => it.autopilot.mode === "BRAKE");
});

test("an agent that ends waits for the stop up to a limit", async () => {
  const it = steered();
  it.autopilot.takes = false;
  await untilSteering(it);
  const since = performance.now();
  await it.pilot.release();
  expect(performance.now() - since).toBeGreaterThan(2_500);
  const asked = it.autopilot.asked.length;
  await delay(1_500);
  expect(it.autopilot.asked).toHaveLength(asked);
});
