import { exec } from "node:child_process";
import { promisify } from "node:util";
import { Interruptions, watching } from "./clients/interruptions";
import { orders, sticks, telemetry } from "./clients/pilot-clients";
import { flight, MINUTES } from "./flight";
import { ingressNamespace, subscribed } from "./release";

const run = promisify(exec);
const restart =
  process.env.FLEET_INGRESS_RESTART ?? `kubectl --namespace ${ingressNamespace} delete pods --all`;

/** The way in is replaced under a watcher, a pilot's sticks and orders. The vehicle's link does not lead through it. */
export function testIngressReplacement(): void {
  test(
    "the ingress controller is replaced in flight: the flight goes on, and telemetry, sticks and orders return",
    async () => {
      const drone = () => flight.drone;
      const { messages } = await subscribed(`${flight.drone.ip}:gamepad_input`);
      const interruptions = new Interruptions({
        telemetry: telemetry(drone),
        sticks: sticks(
          drone,
          watching(async () => messages.length),
        ),
        orders: orders(drone, "AUTO"),
      });
      interruptions.start();
      const gaps = await interruptions.during("the ingress controller", () => run(restart));
      await interruptions.stop();
      // Each connection was cut, and dialled again.
      expect(gaps.telemetry).toBeGreaterThan(250);
      expect(gaps.sticks).toBeGreaterThan(100);
      await flight.watchAgain();
      await flight.expectFlying();
    },
    6 * MINUTES,
  );
}
