import { exec } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { reply } from "../../src/client/client";
import { atEndOfFile } from "../../src/testing";
import { TestSticks } from "../../src/testing/sticks";
import { until } from "../../src/testing/until";
import { client, flight, MINUTES } from "./flight";
import { Gap } from "./gap";
import { ingressNamespace, origin, subscribed } from "./release";

const run = promisify(exec);
const restart =
  process.env.FLEET_INGRESS_RESTART ?? `kubectl --namespace ${ingressNamespace} delete pods --all`;

/** A socket of the relay that is dialled again half a second after it closed, as the console does. */
class RelaySocket {
  opened = 0;
  private socket!: WebSocket;

  constructor(private readonly url: string) {
    this.dial();
    atEndOfFile(async () => this.end());
  }

  send(frame: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame);
  }

  end(): void {
    this.socket.removeAllListeners("close").terminate();
  }

  private dial(): void {
    this.socket = new WebSocket(this.url, { handshakeTimeout: 2_000 })
      .on("open", () => {
        this.opened += 1;
      })
      // The socket closes after it.
      .on("error", () => {})
      .on("close", () => setTimeout(() => this.dial(), 500));
  }
}

/** The way in is replaced under a watcher, a pilot's sticks and orders. The vehicle's link does not lead through it. */
export function testIngressReplacement(): void {
  test(
    "the ingress controller is replaced in flight: the flight goes on, and telemetry, sticks and orders return",
    async () => {
      const gaps = { telemetry: new Gap(), sticks: new Gap(), orders: new Gap() };
      const watcher = await flight.watch("websocket", true);
      let reconnected = 0;
      watcher.socket.on("connect", () => {
        reconnected += 1;
      });
      watcher.socket.on("telemetry_data", gaps.telemetry.answered);

      const arrived = await subscribed(`${flight.drone.ip}:gamepad_input`);
      const look = setInterval(() => {
        if (arrived.messages.splice(0).length > 0) gaps.sticks.answered();
      }, 20);
      const relay = new RelaySocket(
        `${origin.replace("http", "ws")}/redispad/${flight.drone.id}?access_token=${flight.token}`,
      );
      const sticks = new TestSticks((frame) => relay.send(frame));
      sticks.hold({});

      let isOver = false;
      const ordering = async () => {
        const body = { drone_id: flight.drone.id, mode_info: { custom_mode: "AUTO" } };
        while (!isOver) {
          await reply(client.api.POST("/drone/action/set_mode", { body })).then(
            gaps.orders.answered,
            () => {},
          );
          await delay(250);
        }
      };
      const orders = ordering();
      const allCome = () => Object.values(gaps).every(({ sinceMs }) => sinceMs < 1_000);
      try {
        await until(() => relay.opened === 1 && allCome(), MINUTES);
        for (const gap of Object.values(gaps)) gap.worstMs = 0;
        await run(restart);
        await until(() => reconnected > 0 && relay.opened > 1 && allCome(), 2 * MINUTES);
      } finally {
        isOver = true;
        clearInterval(look);
        sticks.letGo();
        relay.end();
        await orders;
        watcher.socket.disconnect();
      }
      const seconds = ({ worstMs }: Gap) => `${(worstMs / 1_000).toFixed(1)} s`;
      process.stdout.write(
        `The ingress controller was replaced: no telemetry for ${seconds(gaps.telemetry)}, no stick frame for ${seconds(gaps.sticks)}, no order for ${seconds(gaps.orders)}.\n`,
      );
      await flight.watchAgain();
      await flight.expectFlying();
    },
    6 * MINUTES,
  );
}
