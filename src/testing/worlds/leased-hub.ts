import { loadConfig, tunnelConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { type HubRole, type LeaseStore, openHub } from "../../tunnel/ha";
import { monotonicMs } from "../../tunnel/ha/lease";
import { generateKeyPair } from "../../tunnel/wireguard/keys";
import { atEndOfFile } from "../clean-up";
import type { Candidate } from "./lease-candidates";

interface LeasedHub extends Pick<Candidate, "changes" | "logged"> {
  readonly role: HubRole;
  /** As the daemon's; rejects when another daemon has locked the same file. */
  start(): Promise<void>;
  /** In order, as at SIGTERM. */
  stop(): Promise<void>;
}

/** The part of a tunnel daemon that settles whether its hub serves, without planes; it ends with the file. */
export function leasedHub(name: string, store: LeaseStore, leasePath: string): LeasedHub {
  const { privateKey } = generateKeyPair();
  const config = loadConfig(tunnelConfig, {
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
    DEPLOYMENT: "local",
    USERS_PRIVATE_KEY: privateKey,
    DRONES_PRIVATE_KEY: privateKey,
    VPN_ENDPOINT_HOST: "192.0.2.1",
    HUB_LEASE: "kubernetes",
    HUB_LEASE_IDENTITY: name,
    HUB_LEASE_DURATION_SECONDS: "4",
    HUB_LEASE_PATH: leasePath,
  });
  const changes: Candidate["changes"] = [];
  const logged: string[] = [];
  const log = createLogger("test", "trace", { write: (line) => void logged.push(line) });
  const lifecycle = new Lifecycle(log, 5_000);
  const record = (isHeld: boolean) => void changes.push({ isHeld, at: monotonicMs() });
  const { role, start } = openHub(config, {
    log,
    lifecycle,
    registry: createMetrics("test"),
    loadEndpoints: async () => {},
    saveEndpoints: async () => {},
    guard: undefined,
    store,
    onActive: () => record(true),
    onStandby: async () => record(false),
  });
  const stop = () => lifecycle.stop("the test says so");
  atEndOfFile(stop);
  return { role, changes, logged, start, stop };
}
