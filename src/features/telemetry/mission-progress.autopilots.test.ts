import { distance, offsetBy } from "../../domain/geo";
import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { storePlan } from "../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";

jest.setTimeout(240_000);

/** Metres by which a distance may be older than the witness's position at 5 m/s, three times as fast as life. */
const TOLERANCE_M = 25;

let vehicle: TestedVehicle;
afterEach(() => vehicle.stop());

test.each(autopilots)("a watcher of a %s sees how far its mission is", async (name) => {
  vehicle = await startVehicle(name);
  const {
    witness,
    carryOut,
    droneId,
    gateway,
    owner: { token },
  } = vehicle;
  const watcher = new TestWatcher(gateway.url, token);
  await watcher.subscribe(droneId, "mission");
  const newest = () => watcher.frames("mission").at(-1)?.data;
  const waitFor = (what: string, holds: () => boolean) =>
    until(holds, 90_000).catch(() => {
      throw new Error(`${what} was not seen; the last was ${JSON.stringify(newest())}.`);
    });
  const home = await witness.fresh();
  // PX4's rover drives a metre a second.
  const [near, far] = isRover(name) ? [10, 50] : [30, 150];
  const rows = [near, far].map((north) => ({ north, altitude: isRover(name) ? 0 : 15 }));
  const plan = isRover(name) ? rows : [{ command: 22, altitude: 15 }, ...rows];
  const items = plan.length;
  await carryOut("push_mission", { mission_id: await storePlan(vehicle.api, home, plan) });
  await waitFor("the mission", () => newest()?.items === items);
  const saysState = name !== "px4-1.16-quad";
  expect(newest()).toEqual({
    ...{ item: 1, items, distance: null, writes: expect.any(Number) },
    state: saysState ? "not_started" : "unknown",
  });
  const { writes } = newest();
  expect(writes).toBeGreaterThan(0);
  // What is read changes nothing.
  for (const kind of ["mission", "fence", "mission"])
    expect(await vehicle.api.get(`/drone/${droneId}/onboard/${kind}`)).toMatchObject({ status: 200 });
  const seen = watcher.frames("mission").length;
  await waitFor("two frames", () => watcher.frames("mission").length > seen + 1);
  expect(newest().writes).toBe(writes);
  await carryOut("guided");
  await carryOut("arm");
  await carryOut("start_mission", isRover(name) ? {} : { takeoff_altitude: 10 });
  if (isPx4(name) && !isRover(name))
    await witness.until("the end of the takeoff", async () => (await witness.fresh()).relativeAltitude > 9);
  await carryOut("set_mode", { mode_info: { custom_mode: "AUTO" } });
  await waitFor("the way to the last item", () => newest()?.item === items && newest().distance > 10);
  expect(newest().state).toBe(saysState ? "flying" : "unknown");
  const away = distance(await witness.fresh(), offsetBy(home, far, 0));
  expect(Math.abs(newest().distance - away)).toBeLessThan(TOLERANCE_M);
  if (saysState) await waitFor("the end", () => newest()?.state === "complete");
  else await waitFor("the end", () => newest()?.distance === null);
  watcher.socket.disconnect();
});
