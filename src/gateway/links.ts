import type { GatewayConfig } from "../platform/config";
import type { Logger } from "../platform/process/log";
import { metricsIn, type Registry } from "../platform/process/metrics";
import type { Services } from "../platform/services";
import { createLinkPool, FLOOD, type LinkPool, type PoolObserver, type VehicleOptions } from "../vehicle";

/** A pilot who reloads the page finds the link open; an autopilot that takes one client is free again soon. */
const IDLE_MS = 60_000;

/** This process's links to vehicles, with their metrics. */
export function openPool(
  config: GatewayConfig,
  { log, registry }: Pick<Services, "log" | "registry">,
  options: Pick<VehicleOptions, "mayUse" | "sharedClaims" | "tap" | "records" | "follow">,
): LinkPool {
  const pool = createLinkPool({
    mavlink: { systemId: config.MAVLINK_SYSTEM_ID },
    jumphost: config.JUMPHOST_URL
      ? { url: config.JUMPHOST_URL, secret: config.TUNNEL_API_SECRET }
      : undefined,
    waitMs: config.LINK_CONNECT_TIMEOUT_MS,
    idleMs: IDLE_MS,
    observer: observeLinks(log, registry),
    ...options,
  });
  metricsIn(registry).gaugeOf("fleet_links_open", "Links to vehicles that are open now.", () => pool.size);
  return pool;
}

/** The links of a gateway without other replicas, closed before the database. */
export function openLinks(
  config: GatewayConfig,
  deps: Pick<Services, "log" | "registry" | "lifecycle">,
  options: Pick<VehicleOptions, "tap" | "records" | "follow">,
): LinkPool {
  const pool = openPool(config, deps, options);
  deps.lifecycle.onClose("vehicle links", () => pool.drain());
  return pool;
}

function observeLinks(log: Logger, registry: Registry): PoolObserver {
  const { counter, histogram } = metricsIn(registry);
  const opening = histogram(
    "fleet_link_open_seconds",
    "Time from dialling a vehicle to a link that is ready.",
    [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
  );
  const failures = counter("fleet_link_open_failures_total", "Links that did not open, by error code.", [
    "code",
  ]);
  const closes = counter(
    "fleet_link_losses_total",
    "Links that ended, whichever side ended them; flood: the vehicle sent too much.",
    ["reason"],
  );
  const reconnects = counter(
    "fleet_link_reconnects_total",
    "Attempts to bring back a lost link that is watched.",
  );
  return {
    opened: (_key, milliseconds) => opening.observe(milliseconds / 1000),
    openFailed: (_key, code) => failures.inc({ code }),
    closed: (key, reason) => {
      closes.inc({ reason: reason === FLOOD ? "flood" : "other" });
      if (reason === FLOOD) log.warn({ link: key }, "Vehicle link closed: the vehicle sends too much");
    },
    reconnecting: () => reconnects.inc(),
  };
}
