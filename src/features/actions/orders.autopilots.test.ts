import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { contradiction } from "../../testing/autopilots/contradiction";
import { giveOrder } from "../../testing/autopilots/orders";
import {
  notCarriedOut,
  startVehicle,
  stayArmed,
  type TestedVehicle,
} from "../../testing/autopilots/tested-vehicle";

jest.setTimeout(240_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    await stayArmed(vehicle);
  });
  afterAll(() => vehicle?.stop());

  /** The order's answer, which the vehicle must not contradict. */
  const give = async (path: string, body: Record<string, unknown> = {}) => {
    const given = await giveOrder(vehicle, path, body, (seen) => contradiction(seen, name));
    expect(contradiction(given, name)).toBeUndefined();
    return given;
  };
  /** As `give`, for an order that must succeed. */
  const carriedOut = async (path: string, body: Record<string, unknown> = {}) => {
    const given = await give(path, body);
    if (given.status !== 200)
      throw notCarriedOut(path, { status: given.status, body: given.message }, given.texts);
  };
  const height = async () => (await vehicle.witness.fresh()).relativeAltitude;

  if (!isRover(name)) {
    test("a disarmed vehicle refuses to take off, and the next arming does not launch it", async () => {
      const refused = await give("takeoff", { altitude: 10 });
      expect(refused).toMatchObject({ status: 500, message: expect.stringContaining("it is not armed") });
      await carriedOut("guided");
      await carriedOut("arm");
      expect(await height()).toBeLessThan(1);
      await carriedOut("disarm_drone");
    });
  }

  test("a disarmed vehicle refuses to go anywhere, and its mode stays", async () => {
    const { lat, lng } = await vehicle.witness.fresh();
    for (const [path, body] of [
      ["goto_gps_location", { lat: lat + 0.0005, lng, altitude: 15 }],
      ["move", { x: 30, y: 10, z: 12 }],
    ] as const) {
      const given = await give(path, body);
      expect(given).toMatchObject({ status: 500, message: expect.stringContaining("it is not armed") });
    }
  });

  test("it arms, takes off, goes where it is told, and lands as the answers say", async () => {
    await carriedOut("guided");
    await carriedOut("arm");
    const { lat, lng } = await vehicle.witness.fresh();
    if (!isRover(name)) {
      await carriedOut("takeoff", { altitude: 10 });
      await vehicle.witness.until("9 m of height", async () => (await height()) > 9);
      expect((await give("disarm_drone")).status).toBe(500);
      const again = await give("takeoff", { altitude: 20 });
      expect(again).toMatchObject({ status: 500, message: expect.stringContaining("already in the air") });
    }
    await carriedOut("move", { x: 30, y: 10, z: 12 });
    await carriedOut("goto_gps_location", { lat: lat - 0.0004, lng, altitude: 15 });
    if (isRover(name)) {
      await give("disarm_drone");
      return;
    }
    await carriedOut("land");
    await vehicle.disarmed();
  });

  test("an order that is sent and not answered has an unknown outcome, and the next one is obeyed", async () => {
    await carriedOut("guided");
    vehicle.autopilot.stall(true);
    const unanswered = await vehicle.order("disarm_drone").finally(() => vehicle.autopilot.stall(false));
    expect(unanswered.status).toBe(500);
    expect(unanswered.body.error).toMatch(
      /The order to disarm was sent, and the vehicle may have obeyed or not/,
    );
    await vehicle.witness.until(
      "an order that is obeyed",
      async () => (await vehicle.order("guided")).status === 200,
    );
  });

  test("a motor is tested, and one that the frame lacks is not", async () => {
    await carriedOut("guided");
    const motor = { motor_id: 1, percentage: 5 };
    const spins = async () => {
      const given = await giveOrder(vehicle, "motortest", motor, (seen) => contradiction(seen, name));
      return given.status === 200 && contradiction(given, name) === undefined;
    };
    // PX4's mixer drops a test that reaches it 100 ms late, as in a simulator that waits for a core: twice is too often.
    if (!isPx4(name) || !(await spins())) await carriedOut("motortest", motor);
    if (!isPx4(name)) {
      expect((await vehicle.order("arm")).status).toBe(500);
      await vehicle.witness.until("the end of the test", async () => !(await vehicle.witness.fresh()).armed);
    }
    if (isPx4(name) && isRover(name)) return;
    const lacking = await give("motortest", { motor_id: isRover(name) ? 4 : 5, percentage: 5 });
    expect(lacking).toMatchObject({ status: 500, message: expect.stringMatching(/motor/) });
  });

  if (!isRover(name)) {
    const takeOff = async (altitude: number) => {
      await carriedOut("guided");
      await carriedOut("arm");
      await carriedOut("takeoff", { altitude });
      await vehicle.witness.until("the height, but a metre", async () => (await height()) > altitude - 1);
    };

    test("a move that comes as a landing vehicle touches the ground is obeyed or refused", async () => {
      await takeOff(4);
      await carriedOut("land");
      await vehicle.witness.until("the ground", async () => (await height()) < 0.3);
      await give("move", { x: -15, y: -70, z: 15 });
      await vehicle.order("disarm_drone", { force: true });
      await vehicle.disarmed();
    });

    // The last one: it falls.
    test("a vehicle in the air stops its motors with force alone", async () => {
      await takeOff(10);
      expect((await give("disarm_drone")).status).toBe(500);
      await carriedOut("disarm_drone", { force: true });
      expect((await vehicle.witness.fresh()).armed).toBe(false);
    });
  }
});
