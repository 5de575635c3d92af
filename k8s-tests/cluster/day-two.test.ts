import { until } from "../../src/testing/until";
import { crew } from "./clients/crew";
import { testKeyRotation } from "./day-two/key-rotation";
import { testRestore } from "./day-two/restore";
import { testMeasuredUpgrades } from "./day-two/upgrades";
import { MINUTES } from "./flight";
import { leftOnNode } from "./node-pod";
import { core, deleteNamespace, deploy, namespace, uninstall } from "./release";

/**
 * What an operator does with a release that is in use, by the commands of the pages: keys are rotated, the release is
 * upgraded and rolled back, and it is restored into a new cluster. In the order of the release's life. Each interruption
 * is measured from the clients' side, and printed.
 */

const interruptions = crew.interruptions();

test(
  "a pilot and a drone in the field are connected, and a simulated drone is watched",
  async () => {
    await deploy();
    await crew.assemble();
    interruptions.start();
    await interruptions.during("nothing", () => new Promise((resolve) => setTimeout(resolve, 5_000)));
  },
  15 * MINUTES,
);

testKeyRotation(interruptions);
testMeasuredUpgrades(interruptions);

test("the interruptions of each piece of work, in seconds", async () => {
  await interruptions.stop();
  interruptions.print();
});

testRestore();

test(
  "after the restored release is gone nothing of it is on the node",
  async () => {
    await Promise.all([crew.pilotVpn.node.destroy(), crew.droneVpn.node.destroy()]);
    await uninstall();
    await until(async () => (await core.listNamespacedPod({ namespace })).items.length === 0, 3 * MINUTES);
    expect(await leftOnNode()).toEqual([]);
    await deleteNamespace(namespace);
  },
  12 * MINUTES,
);
