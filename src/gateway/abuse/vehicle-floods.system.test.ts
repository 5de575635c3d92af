import { atEndOfFile } from "../../testing";
import { floodingVehicle, floods } from "../../testing/fakes/flooding-vehicle";
import { Metrics } from "../../testing/scrape";
import { until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

jest.setTimeout(120_000);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const textsSent = async () =>
  new Metrics(await gateway.deps.registry.metrics()).value("fleet_telemetry_frames_total", { type: "logs" });

test.each(Object.entries(floods))(
  "a watched vehicle that floods %s is handled in bounded numbers, its watcher learns why, and others are served",
  async (_, batch) => {
    const [pilot, other] = await Promise.all([gateway.newUser(), gateway.newUser()]);
    const vehicle = await floodingVehicle(batch);
    atEndOfFile(async () => vehicle.stop());
    const { body, status } = await pilot.api.post("/drone", {
      ...{ type: "sitl", name: "flooding", vehicle_type: "copter" },
      ...{ port: vehicle.port, link_host: vehicle.host },
    });
    expect(status).toBe(201);
    const watcher = new TestWatcher(gateway.url, pilot.token);
    const before = await textsSent();
    await watcher.subscribe(body.id, "dashboard");
    const isFlood = ({ message }: { message: string }) => message.includes("sends more than a link carries");
    let served = 0;
    const began = performance.now();
    let isOrdering = false;
    await until(async () => {
      // An order opens the link at once.
      if (!isOrdering) {
        isOrdering = true;
        void pilot.api.post("/drone/action/arm", { drone_id: body.id }).then(() => {
          isOrdering = false;
        });
      }
      expect((await other.api.get("/auth")).status).toBe(200);
      served++;
      return watcher.all("error").filter(isFlood).length >= 2;
    }, 60_000);
    expect(served).toBeGreaterThan(10);
    // A second's worth at once, and what is read of the three that a link may be late.
    const seconds = (performance.now() - began) / 1_000;
    expect((await textsSent()) - before).toBeLessThanOrEqual(100 * (seconds + 5));
    expect(vehicle.written).toBeLessThan(100_000_000);
    watcher.socket.disconnect();
    vehicle.stop();
  },
);
