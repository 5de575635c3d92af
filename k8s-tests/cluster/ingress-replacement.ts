import { exec } from "node:child_process";
import { promisify } from "node:util";
import { until } from "../../src/testing/until";
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
      const opened = { sockets: 0, relays: 0 };
      const interruptions = new Interruptions({
        telemetry: telemetry(drone, () => {
          opened.sockets += 1;
        }),
        sticks: sticks(
          drone,
          watching(async () => messages.length),
          () => {
            opened.relays += 1;
          },
        ),
        orders: orders(drone, "AUTO"),
      });
      interruptions.start();
      await interruptions.during("the ingress controller", async () => {
        const before = { ...opened };
        await run(restart);
        await until(() => opened.sockets > before.sockets && opened.relays > before.relays, 2 * MINUTES);
      });
      await interruptions.stop();
      await flight.watchAgain();
      await flight.expectFlying();
    },
    6 * MINUTES,
  );
}
