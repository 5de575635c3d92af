import { distance } from "../../domain/geo";
import { autopilots, isPx4, isRover, vehicleOf } from "../../testing/autopilots/autopilot";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { modeName } from "../../vehicle/mavlink/modes";
import type { DroneState } from "./fleet/drone-state";

jest.setTimeout(240_000);

/** Metres that a vehicle may move between two readings. */
const TOLERANCE_M = 5;

let vehicle: TestedVehicle;
afterEach(() => vehicle.stop());

test.each(autopilots)(
  "the state of a %s in the fleet, and its `system`, are as the witness sees it",
  async (name) => {
    vehicle = await startVehicle(name, { speed: 1 });
    const {
      api,
      carryOut,
      droneId,
      gateway,
      owner: { token },
      witness,
    } = vehicle;
    const watcher = new TestWatcher(gateway.url, token);
    await watcher.subscribe(droneId, "system");
    await carryOut("guided");
    await carryOut("arm");
    if (!isRover(name)) {
      await carryOut("takeoff", { altitude: 10 });
      await witness.until("9 m of height", async () => (await witness.fresh()).relativeAltitude > 9);
    }
    const seen = await witness.fresh();
    const [state] = (await api.get("/drones/state")).body as [DroneState];
    expect(state).toMatchObject({ drone_id: droneId, link: { up: true }, armed: true });
    expect(state.link?.age_ms).toBeLessThan(2_000);
    expect(state.mode).toBe(modeName(vehicleOf(name), seen.customMode));
    const { position } = state;
    if (!position) throw new Error("The state has no position.");
    expect(distance({ lat: position.latitude, lng: position.longitude }, seen)).toBeLessThan(TOLERANCE_M);
    expect(Math.abs(position.relative_altitude - seen.relativeAltitude)).toBeLessThan(TOLERANCE_M);

    const newest = () => watcher.frames("system").at(-1)?.data;
    // The vehicle is asked for one kind of message after the other.
    await until(() => newest()?.link.open >= 5 && newest().estimator !== null);
    const { battery, link, wind, estimator } = newest();
    // Nothing is lost on loopback, whichever messages this version has beside those that are known here. A PX4 without
    // the time that it wants leaves out a frame in a thousand.
    expect(link.quality).toBeGreaterThan(99);
    expect(estimator).toMatchObject({ level: 0 });
    const status = await witness.request("SYS_STATUS");
    expect(battery.voltage).toBeCloseTo(Number(status.voltage_battery) / 1000, 0);
    expect(state.battery?.voltage).toBeCloseTo(Number(status.voltage_battery) / 1000, 0);
    const { current_consumed } = await witness.request("BATTERY_STATUS");
    if (Number(current_consumed) < 0) expect(battery.consumed).toBeNull();
    else expect(Math.abs(battery.consumed - Number(current_consumed))).toBeLessThan(50);
    const air = await witness.request(isPx4(name) ? "WIND_COV" : "WIND").catch(() => undefined);
    if (!air) expect(wind).toBeNull();
    else
      expect(wind.speed).toBeCloseTo(Math.hypot(Number(air.speed ?? air.wind_x), Number(air.wind_y ?? 0)), 0);
    watcher.socket.disconnect();
  },
);
