import { randomBytes } from "node:crypto";
import { FleetClient } from "../../src/client/client";
import type { VpnClient } from "../../src/testing/system/namespaces";
import { until } from "../../src/testing/until";
import { TestWatcher } from "../../src/testing/watcher";
import { origin } from "./release";

export const MINUTES = 60_000;
/** The port on which the drone and the pilot echo what they receive. */
export const TCP_5001 = { protocol: "tcp", port: 5001 } as const;

export const pilot = {
  username: `pilot-${Date.now()}@example.com`,
  password: randomBytes(12).toString("hex"),
};
export const client = new FleetClient(origin);

/** The state that the tests of one release share, from the test that creates it on. */
class Flight {
  token!: string;
  /** The simulated drone. */
  drone!: { readonly id: number; readonly ip: string | null };
  /** Follows the simulated drone from one test to the next. */
  watcher!: TestWatcher;
  /** The pilot's computer and a physical drone's, outside the cluster. */
  pilotVpn!: VpnClient;
  droneVpn!: VpnClient;

  /** As a browser would: its requests carry the cookie by which the Ingress finds the same gateway again. */
  async watch(transport: "websocket" | "polling" = "websocket"): Promise<TestWatcher> {
    const one = new TestWatcher(origin, this.token, {
      transports: [transport],
      upgrade: false,
      withCredentials: true,
    });
    await one.subscribe(this.drone.id, "dashboard");
    const [refusal] = one.all("error");
    if (refusal) throw new Error(refusal.message);
    await until(() => one.frames("gps").length > 0, 20_000);
    return one;
  }

  async watchAgain(): Promise<void> {
    await until(async () => {
      this.token = (await client.logIn(pilot.username, pilot.password)).access_token;
      this.watcher.socket.disconnect();
      this.watcher = await this.watch();
    }, 3 * MINUTES);
  }

  /** Expects that the drone still flies its mission, north and high: neither on its way home nor landing. */
  async expectFlying(): Promise<void> {
    const one = this.watcher;
    const latitude = () => one.frames("gps").at(-1)?.data.latitude;
    one.clear();
    await until(() => one.frames("gps").length > 0);
    const from = latitude();
    await until(() => latitude() > from + 0.00001);
    await until(() => one.frames("relalt").length > 0);
    expect(one.frames("relalt").at(-1)?.data.data).toBeGreaterThan(8);
  }
}
export const flight = new Flight();
