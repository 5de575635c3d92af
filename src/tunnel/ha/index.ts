import { hostname } from "node:os";
import type { TunnelConfig } from "../../platform/config";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import { SupervisedProcess } from "../os/supervised-process";
import { KubernetesLease } from "./kubernetes-lease";
import { type LeaseStore, monotonicMs } from "./lease";
import { LeaseFile } from "./lease-file";
import { activeGauge, hubMetrics } from "./metrics";
import { type HubRole, LeasedRole, type LeasedRoleOptions } from "./role";

export type { LeaseStore } from "./lease";
export type { HubRole } from "./role";

interface HubDeps
  extends Pick<LeasedRoleOptions, "loadEndpoints" | "saveEndpoints" | "onActive" | "onStandby"> {
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** Program and arguments of the guard. Undefined: no guard is started. */
  readonly guard: readonly string[] | undefined;
  /** Where candidates meet; the API server when absent. */
  readonly store?: LeaseStore | undefined;
}

const GUARD_RETRY_MS = 200;

interface Hub {
  readonly role: HubRole;
  /** Resolves when the role is known. */
  start(): Promise<void>;
}

/** This hub's role: one of several with a lease, or, with `HUB_LEASE=none`, the only one of its database. */
export function openHub(config: TunnelConfig, deps: HubDeps): Hub {
  return config.HUB_LEASE === "none" ? singleHub(deps) : leasedHub(config, deps);
}

/** The node's name. */
export const identityOf = (config: TunnelConfig): string => config.HUB_LEASE_IDENTITY ?? hostname();

/** It has the lock of its database already. */
function singleHub({ registry, loadEndpoints }: HubDeps): Hub {
  const active = activeGauge(registry);
  let isActive = false;
  const role = {
    get isActive() {
      return isActive;
    },
  };
  const start = async () => {
    await loadEndpoints();
    isActive = true;
    active.set(1);
  };
  return { role, start };
}

/**
 * The holder tries to renew four times before its deadline, and has taken its planes down before another hub begins:
 * that takes the last third of the duration, a second at least.
 */
const leaseTimes = ({ HUB_LEASE_DURATION_SECONDS: seconds }: TunnelConfig) => ({
  durationMs: seconds * 1_000,
  deadlineMs: Math.floor((seconds * 2_000) / 3),
  retryMs: Math.floor((seconds * 1_000) / 6),
});

function leasedHub(config: TunnelConfig, deps: HubDeps): Hub {
  const { log, registry, lifecycle, guard } = deps;
  const leaseFile = new LeaseFile(config.HUB_LEASE_PATH);
  const identity = `${identityOf(config)}_${leaseFile.hub}`;
  const metrics = hubMetrics(registry, {
    remainingSeconds: () => role.remainingMs / 1000,
    transitions: () => role.transitions,
  });
  const role = new LeasedRole({
    ...deps,
    store: deps.store ?? new KubernetesLease({ name: config.HUB_LEASE_NAME }),
    identity,
    ...leaseTimes(config),
    now: monotonicMs,
    leaseFile,
    metrics,
  });
  return {
    role,
    start: async () => {
      leaseFile.lock();
      const guarding = guard && !config.HUB_GUARD_EXTERNAL ? superviseGuard(guard, log) : undefined;
      lifecycle.onClose("guard", () => guarding?.stop());
      lifecycle.onDrain("hub lease", async () => {
        await role.stop();
        leaseFile.unlock();
      });
      log.info({ identity, lease: config.HUB_LEASE_NAME }, "One of several hubs serves at a time");
      await role.start();
    },
  };
}

/** In a session of its own, so that a signal to the daemon leaves the guard running. */
const superviseGuard = (command: readonly string[], log: Logger): SupervisedProcess =>
  new SupervisedProcess(command, {
    spawn: { detached: true, stdio: ["ignore", "inherit", "inherit"] },
    firstMs: GUARD_RETRY_MS,
    maxMs: GUARD_RETRY_MS,
    onEnd: (end) => log.error(end, "The lease guard ended; restarting it"),
  });
