import { until } from "../../src/testing/until";
import { client, flight, MINUTES, pilot, TCP_5001 } from "./flight";
import { leftOnNode } from "./node-pod";
import { apps, core, deploy, isReady, killPods, namespace, podsOf, release, rollBack } from "./release";
import { slowestRoundTrip } from "./round-trips";

async function variable(component: string, name: string): Promise<string | undefined> {
  const { spec } = await apps.readNamespacedDeployment({ namespace, name: `${release}-${component}` });
  return spec?.template.spec?.containers[0]?.env?.find((one) => one.name === name)?.value;
}

/** Upgrades and a rollback of the release, with the flight and the tunnels of the tests before. */
export function testUpgrades(): void {
  test(
    "an upgrade with a changed value does not touch a stream through the tunnel",
    async () => {
      const [before] = await podsOf("tunnel");
      await flight.pilotVpn.node.stream("upgrade", { ...TCP_5001, host: flight.droneVpn.ip });
      await deploy({ "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6100 });
      expect((await podsOf("tunnel"))[0]?.metadata?.uid).toBe(before?.metadata?.uid);
      expect(await slowestRoundTrip(flight.pilotVpn, "upgrade")).toBeLessThan(2_000);
      expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6100");
    },
    12 * MINUTES,
  );

  test(
    "an upgrade that replaces the tunnel's pod delays a stream through it, and loses none of its bytes",
    async () => {
      const [before] = await podsOf("tunnel");
      await flight.pilotVpn.node.stream("replacement", { ...TCP_5001, host: flight.droneVpn.ip });
      await deploy({ "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6100, "tunnel.env.DB_REFRESH_SECONDS": 5 });
      const [after] = await podsOf("tunnel");
      expect(after?.metadata?.uid).not.toBe(before?.metadata?.uid);
      expect(await slowestRoundTrip(flight.pilotVpn, "replacement")).toBeLessThan(MINUTES);
    },
    12 * MINUTES,
  );

  test(
    "with a second gateway and a third relay telemetry arrives from each gateway, by websocket and polling, also when one is killed",
    async () => {
      await deploy({
        "gateway.replicas": 2,
        "relay.replicas": 3,
        "gateway.env.LINK_CONNECT_TIMEOUT_MS": 6200,
      });
      const gateways = (await podsOf("gateway")).filter(isReady);
      expect(gateways).toHaveLength(2);
      expect((await podsOf("relay")).filter(isReady)).toHaveLength(3);
      flight.token = (await client.logIn(pilot.username, pilot.password)).access_token;
      for (const transport of [
        "websocket",
        "polling",
        "websocket",
        "polling",
        "polling",
        "polling",
      ] as const) {
        (await flight.watch(transport)).socket.disconnect();
      }
      const [first] = gateways;
      await core.deleteNamespacedPod({ namespace, name: first?.metadata?.name ?? "", gracePeriodSeconds: 0 });
      for (const transport of ["websocket", "polling"] as const) {
        await until(async () => (await flight.watch(transport)).socket.disconnect(), MINUTES);
      }
      await until(async () => (await podsOf("gateway")).filter(isReady).length === 2, 3 * MINUTES);
    },
    12 * MINUTES,
  );

  test(
    "a rollback puts every value back, and keeps users, their secrets and the flight",
    async () => {
      expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6200");
      await rollBack();
      expect(await variable("gateway", "LINK_CONNECT_TIMEOUT_MS")).toBe("6100");
      await until(async () => {
        expect([await podsOf("gateway"), await podsOf("relay")].map(({ length }) => length)).toEqual([1, 2]);
      }, 2 * MINUTES);
      await flight.watchAgain();
      await flight.expectFlying();
      expect(await flight.pilotVpn.node.probe({ ...TCP_5001, host: flight.droneVpn.ip })).toBe(true);
    },
    12 * MINUTES,
  );

  test(
    "the simulator is killed, comes back, and its vehicle can be watched again, on the ground",
    async () => {
      await killPods("simulator");
      await flight.watchAgain();
      await until(() => flight.watcher.frames("relalt").some(({ data }) => data.data < 1), MINUTES);
    },
    6 * MINUTES,
  );

  test(
    "an upgrade that disables the tunnel removes it from its node, and one that enables it restores the same tunnels",
    async () => {
      expect(await leftOnNode()).not.toEqual([]);
      await deploy({ "tunnel.enabled": false });
      expect(await podsOf("tunnel")).toEqual([]);
      expect(await leftOnNode()).toEqual([]);
      await deploy();
      await until(() => flight.pilotVpn.node.probe({ ...TCP_5001, host: flight.droneVpn.ip }), 3 * MINUTES);
    },
    20 * MINUTES,
  );
}
