import { z } from "zod";
import { flag, seconds, secretUrl } from "./fields";

/** Variables of a hub that is one of several, of which one serves at a time. */

const termFile = z
  .string()
  .min(1)
  .default("/run/fleet-tunnel/term.json")
  .describe(
    "With HUB_LEASE: file in which the daemon tells its guard up to when this node may serve. On a file system that does not outlive the machine.",
  );

export const hubLeaseGroup = {
  HUB_LEASE: z
    .enum(["none", "kubernetes"])
    .default("none")
    .describe(
      "`none`: this is the only hub. `kubernetes`: one of several hubs with the same keys; a Lease of the API server says which of them serves.",
    ),
  HUB_LEASE_NAME: z.string().min(1).default("fleet-tunnel-hub").describe("Name of that Lease."),
  HUB_LEASE_NAMESPACE: z.string().min(1).optional().describe("Its namespace; the pod's own when absent."),
  HUB_LEASE_IDENTITY: z
    .string()
    .min(1)
    .optional()
    .describe(
      "What this hub calls itself in the Lease, before a random part of its own; the node's host name when absent.",
    ),
  HUB_LEASE_DURATION_SECONDS: seconds(6, "A Lease that was not renewed for so long is taken by another hub."),
  HUB_LEASE_DEADLINE_SECONDS: seconds(
    4,
    "A hub that could not renew for so long takes its planes down by itself; shorter than the duration by what that takes.",
  ),
  HUB_LEASE_RETRY_SECONDS: seconds(
    1,
    "How often the holder renews. The others look twice as often whether the Lease is free.",
  ),
  HUB_TERM_PATH: termFile,
  HUB_GUARD_EXTERNAL: flag(
    false,
    "Another process is the guard (`tunnel --guard`), which takes the planes down when the lease has run out; do not start one.",
  ),
  HUB_REDIS_URL: secretUrl(
    "Redis in which the hubs share where peers were last heard; EDGE_REDIS_URL when absent.",
  ).optional(),
};

const LEAST_MARGIN_SECONDS = 1;

type LeaseTimes = Record<
  "HUB_LEASE_DURATION_SECONDS" | "HUB_LEASE_DEADLINE_SECONDS" | "HUB_LEASE_RETRY_SECONDS",
  number
>;

/** Whether a holder tries more than once before its deadline, and has given up before another begins. */
export const areLeaseTimesSound = (times: LeaseTimes): boolean =>
  2 * times.HUB_LEASE_RETRY_SECONDS <= times.HUB_LEASE_DEADLINE_SECONDS &&
  times.HUB_LEASE_DEADLINE_SECONDS + LEAST_MARGIN_SECONDS <= times.HUB_LEASE_DURATION_SECONDS;

export const LEASE_TIMES_FAULT =
  "has to be at least twice HUB_LEASE_RETRY_SECONDS and a second below HUB_LEASE_DURATION_SECONDS";

/** `tunnel --guard`. */
export const guardGroup = { HUB_TERM_PATH: termFile };
