import { autopilots, isPx4, isRover, vehicleOf } from "../../testing/autopilots/autopilot";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { modeName } from "../../vehicle/mavlink/modes";

jest.setTimeout(240_000);

const CHANGES = 10;
const IN_TIME = 9;
const LIMIT_MS = 300;

let vehicle: TestedVehicle;
afterEach(() => vehicle.stop());

test.each(autopilots)(
  "each mode that a %s offers has a name, and a new one is at a watcher within 300 ms of the reply, nine times of ten",
  async (name) => {
    vehicle = await startVehicle(name, { speed: 1 });
    const watcher = new TestWatcher(vehicle.gateway.url, vehicle.owner.token);
    await watcher.subscribe(vehicle.droneId, "system");
    const offered = await vehicle.witness.modes();
    expect(offered.length).toBeGreaterThan(10);
    const unnamed = offered.filter(({ custom_mode }) =>
      /^MODE/.test(modeName(vehicleOf(name), Number(custom_mode))),
    );
    expect(unnamed).toEqual([]);
    const modes = (): string[] => watcher.frames("system").map(({ data }) => data.mode);
    await until(() => modes().length > 0);
    const pair = isPx4(name)
      ? ["POSCTL", "HOLD"]
      : isRover(name)
        ? ["HOLD", "MANUAL"]
        : ["LOITER", "ALT_HOLD"];
    const delays: number[] = [];
    for (let change = 0; change < CHANGES; change++) {
      watcher.clear();
      const { status, body } = await vehicle.order("set_mode", {
        mode_info: { custom_mode: pair[change % 2] },
      });
      const repliedAt = performance.now();
      expect(status).toBe(200);
      await until(() => modes().includes(body.result.mode), 5_000, 2);
      delays.push(performance.now() - repliedAt);
    }
    expect(delays.filter((ms) => ms <= LIMIT_MS).length).toBeGreaterThanOrEqual(IN_TIME);
    watcher.socket.disconnect();
  },
);
