import { z } from "zod";
import { choice, flag, integer, text } from "./fields";

/** Variables of a hub that is one of several, of which one serves at a time. */

const leasePath = z
  .string()
  .min(1)
  .default("/run/fleet-tunnel/lease.json")
  .describe(
    "With HUB_LEASE: file in which the daemon tells its guard how long this node may serve. Use a file system that does not outlive the machine. Without: beside it is the file `waiting` while the daemon waits for the one before it on its node.",
  );

export const hubLeaseGroup = {
  HUB_LEASE: choice(
    ["none", "kubernetes"],
    "none",
    "`none`: this is the only hub. `kubernetes`: one of several hubs with the same keys; a Lease of the API server says which of them serves.",
  ),
  HUB_LEASE_NAME: z
    .string()
    .min(1)
    .default("fleet-tunnel-hub")
    .describe("Name of that Lease, in the pod's own namespace."),
  HUB_LEASE_IDENTITY: text(
    "Name of this hub in the Lease, to which a random part is added; the node's host name when absent.",
  ),
  HUB_LEASE_DURATION_SECONDS: integer(
    [1, 300],
    3,
    "Another hub takes a Lease that was not renewed for this long. The holder renews the Lease six times as often, and takes its planes down when it could not renew for two thirds of this time.",
  ),
  HUB_LEASE_PATH: leasePath,
  HUB_GUARD_EXTERNAL: flag(
    false,
    "Whether another process runs the guard (`tunnel --guard`), which takes the planes down when the lease expires. Otherwise the daemon starts one.",
  ),
};

/** `tunnel --guard`. */
export const guardGroup = { HUB_LEASE_PATH: leasePath };
