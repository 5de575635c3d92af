import { autopilots, isRover } from "../../testing/autopilots/autopilot";
import { type Flown, flown } from "../../testing/autopilots/flown";
import { contradiction, ordered } from "../../testing/autopilots/orders";

jest.setTimeout(240_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: Flown;
  beforeAll(async () => {
    vehicle = await flown(name);
  });
  afterAll(() => vehicle.stop());

  /** The order's answer, which the vehicle must not contradict. */
  const give = async (path: string, body: Record<string, unknown> = {}) => {
    const given = await ordered(vehicle, path, body);
    expect(contradiction(given)).toBeUndefined();
    return given;
  };
  const height = async () => (await vehicle.witness.fresh()).relativeAltitude;

  test("a disarmed vehicle refuses to take off, and the next arming does not launch it", async () => {
    if (isRover(name)) return;
    expect((await give("takeoff", { altitude: 10 })).status).toBe(500);
    await give("guided");
    expect((await give("arm")).status).toBe(200);
    expect(await height()).toBeLessThan(1);
    expect((await give("disarm_drone")).status).toBe(200);
  });

  test("it arms, takes off, holds, returns and lands as the answers say", async () => {
    await give("guided");
    expect((await give("arm")).status).toBe(200);
    if (isRover(name)) {
      expect((await give("disarm_drone")).status).toBe(200);
      return;
    }
    expect((await give("takeoff", { altitude: 10 })).status).toBe(200);
    await vehicle.witness.until("9 m of height", async () => (await height()) > 9);
    expect((await give("disarm_drone")).status).toBe(500);
    expect((await give("land")).status).toBe(200);
    await vehicle.witness.until("the landing", async () => !(await vehicle.witness.fresh()).armed);
  });
});
