import { setTimeout as delay } from "node:timers/promises";
import { autopilots, isRover } from "../../testing/autopilots/autopilot";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";

jest.setTimeout(240_000);

const LIMIT_MS = 10_000;
const OUTAGE_MS = 20_000;

let vehicle: TestedVehicle;
afterEach(() => vehicle.stop());

test.each(autopilots)(
  "telemetry of a %s that is killed in flight and starts again is back by itself",
  async (name) => {
    vehicle = await startVehicle(name);
    const {
      autopilot,
      droneId,
      gateway,
      order,
      owner: { token },
      witness,
    } = vehicle;
    const watcher = new TestWatcher(gateway.url, token);
    await watcher.subscribe(droneId, "dashboard");
    await until(() => watcher.frames().length > 0);
    await order("guided");
    expect(await order("arm")).toMatchObject({ status: 200 });
    if (!isRover(name)) {
      expect((await order("takeoff", { altitude: 10 })).status).toBe(200);
      await witness.until("5 m of height", async () => (await witness.fresh()).relativeAltitude > 5);
    }
    autopilot.kill();
    await until(() => watcher.all("error").length > 0);
    // Attempts come seldom by then.
    await delay(OUTAGE_MS);
    watcher.clear();
    const restartedAt = performance.now();
    autopilot.restart();
    await until(() => watcher.frames().length > 0, 60_000);
    expect(performance.now() - restartedAt).toBeLessThan(LIMIT_MS);
    watcher.socket.disconnect();
  },
);
