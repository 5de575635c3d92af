import { join } from "node:path";
import { loadConfig, tunnelConfig } from "../../platform/config";
import { atEndOfFile, freshFolder } from "../../testing";
import { until } from "../../testing/until";
import { TEST_VPN_BUCKET, tunnelWorld } from "../../testing/worlds/start-tunnel";
import { startTunnel } from "..";
import { SimulatedOs } from "../os/simulated-os";
import type { LeaseRecord, LeaseStore } from "./lease";

/** Whose lease it is, renewed at every look. */
function leaseOf(holder: string): LeaseStore & { release(): void } {
  let record: LeaseRecord = { holder, durationSeconds: 2, transitions: 1, version: "0" };
  let version = 0;
  let isRenewed = true;
  return {
    read: async () => {
      if (isRenewed) record = { ...record, version: String(++version) };
      return record;
    },
    write: async (input) => {
      record = { ...input, version: String(++version) };
      return record;
    },
    release: () => {
      isRenewed = false;
      record = { ...record, holder: "", version: String(++version) };
    },
  };
}

test("a standby makes no client key and writes no config, and does both when it becomes active", async () => {
  const world = await tunnelWorld();
  const { id } = await world.fleet.user("10.70.0.2");
  const store = leaseOf("another hub");
  const config = loadConfig(tunnelConfig, {
    ...world.env,
    HUB_LEASE: "kubernetes",
    HUB_LEASE_IDENTITY: "this one",
    HUB_LEASE_DURATION_SECONDS: "4",
    HUB_LEASE_PATH: join(freshFolder("lease"), "lease.json"),
  });
  const dataPlane = { os: new SimulatedOs(), dataplane: "auto" as const };
  const tunnel = await startTunnel(config, { dataPlane, leaseStore: store });
  atEndOfFile(() => tunnel.lifecycle.stop("the test is over"));
  await until(() => tunnel.lifecycle.state === "standby");
  const written = async () =>
    (await fetch(`${world.objects.url}/${TEST_VPN_BUCKET}/vpn/users/${id}.conf`)).status === 200;
  for (let ticks = 0; ticks < 20; ticks++) {
    tunnel.reconciler.enqueue("tick");
    await tunnel.reconciler.idle();
    expect(await written()).toBe(false);
  }
  store.release();
  await until(written);
  await until(() => tunnel.lifecycle.state === "ready");
});
