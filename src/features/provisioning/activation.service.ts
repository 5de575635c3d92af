import { setTimeout as delay } from "node:timers/promises";
import { configKey, identityLine } from "../../domain/client-config";
import { DomainError } from "../../domain/errors";
import { siteOf } from "../../http/server/network-of";
import type { RegistryLogin } from "../../platform/image-registry";
import type { RateLimit } from "../../platform/redis/rate-limit";
import type { Services } from "../../platform/services";
import { CONFIG_URL_SECONDS, type TunnelStatus } from "../vpn";
import { claimActivation, findWaitingDrone, type WaitingDrone } from "./activation.store";
import { composeKey } from "./compose-file";

interface ActivationDeps extends Pick<Services, "db" | "vpnStore" | "store" | "quotas" | "log"> {
  readonly tunnel: Pick<TunnelStatus, "peer">;
  readonly registryLogin: () => Promise<RegistryLogin>;
  /** Wrong tokens, by site. */
  readonly failedTries: RateLimit;
  /** Longest wait for the tunnel, 15 s by default. */
  readonly waitMs?: number;
}

const WAIT_MS = 15_000;
const POLL_MS = 250;
const STORE_LIMIT_MS = 5_000;
/** The file holds no secret, and a drone's network may be slow. */
const COMPOSE_URL_SECONDS = 300;

/**
 * Gives a drone's computer its VPN config, compose file and registry login, once. States of its token:
 *
 * waiting:  any number of calls may wait with it for the tunnel; a call that fails leaves it valid.
 * used:     one call had everything, cleared the token, and then replied.
 * expired:  seven days after it was made.
 */
export class ActivationService {
  constructor(private readonly deps: ActivationDeps) {}

  /**
   * A registry login, and presigned URLs of the VPN config and the compose file. Rejects with `activation_failed`,
   * `too_many_requests` or `unavailable`.
   */
  async activate(token: string, network: string, disconnected: AbortSignal) {
    const { vehicle_type } = await this.droneOf(token, network);
    // Checked before the wait for the tunnel, so that a fault of ours is reported at once.
    const [login] = await Promise.all([this.deps.registryLogin(), this.checkCompose(vehicle_type)]);
    const drone = await this.whenReachable(token, disconnected);
    const key = configKey({ plane: "drones", rowId: drone.id });
    const [vpn, compose] = await Promise.all([
      // The drone has no tunnel yet, so it reaches the store at the users' endpoint.
      this.deps.vpnStore.presignGet(key, "user", CONFIG_URL_SECONDS),
      this.deps.store.presignGet(composeKey(vehicle_type), "user", COMPOSE_URL_SECONDS),
    ]);
    if (disconnected.aborted) throw failed("The client disconnected.");
    if (!(await claimActivation(this.deps.db, drone))) throw failed(USED);
    this.deps.log.info({ drone_id: drone.id }, "Activated a drone");
    return { ...login, vpn, compose };
  }

  /**
   * Only wrong tokens count: many drones may share one address. Once the wrong tokens of all callers are too many, no
   * token is looked up: ten digits could be guessed from many networks.
   */
  private async droneOf(token: string, network: string): Promise<WaitingDrone> {
    const { db, failedTries, quotas } = this.deps;
    const site = siteOf(network);
    await failedTries.check(site);
    await quotas.check("activation_failures", "all");
    const drone = /^\d{10}$/.test(token) ? await findWaitingDrone(db, token) : undefined;
    if (drone?.is_expired) throw failed(EXPIRED);
    if (drone) return drone;
    await failedTries.take(site);
    await quotas.take("activation_failures", "all");
    throw failed(USED);
  }

  private async checkCompose(vehicleType: WaitingDrone["vehicle_type"]): Promise<void> {
    const key = composeKey(vehicleType);
    const version = await this.deps.store.head(key, AbortSignal.timeout(STORE_LIMIT_MS)).catch((cause) => {
      throw storeDown(cause);
    });
    if (!version) {
      throw new DomainError(
        "unavailable",
        `${key} is not published; an operator runs \`admin publish-compose\`.`,
      );
    }
  }

  /**
   * Waits until the tunnel has the drone as a peer and the store has its config. Reads the row each time: the drone may be
   * deleted or activated, or get another key, meanwhile.
   */
  private async whenReachable(token: string, disconnected: AbortSignal): Promise<WaitingDrone> {
    const limit = AbortSignal.timeout(this.deps.waitMs ?? WAIT_MS);
    const signal = AbortSignal.any([disconnected, limit]);
    let fault: DomainError | undefined;
    while (!signal.aborted) {
      const drone = await findWaitingDrone(this.deps.db, token);
      if (!drone) throw failed(USED);
      try {
        if (await this.isReachable(drone, signal)) return drone;
        fault = undefined;
      } catch (error) {
        if (!signal.aborted) fault = error as DomainError;
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    if (fault) this.deps.log.warn({ err: fault.cause }, "Tunnel not ready for the activation of a drone");
    throw fault ?? failed("The tunnel has not added this drone yet. The token is still good: try again.");
  }

  private async isReachable(drone: WaitingDrone, signal: AbortSignal): Promise<boolean> {
    const { tunnel, vpnStore } = this.deps;
    const peer = await tunnel.peer("drones", drone.ip, signal).catch((cause) => {
      throw failed("The tunnel service does not answer. The token is still good: try again.", cause);
    });
    if (!peer?.configured) return false;
    const member = { plane: "drones", rowId: drone.id, keyId: drone.vpn_key_id, ip: drone.ip } as const;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(STORE_LIMIT_MS)]);
    return vpnStore.beginsWith(configKey(member), identityLine(member), limit).catch((cause) => {
      throw storeDown(cause);
    });
  }
}

const USED = "No drone has this activation token: it is wrong or was used, or the drone has changed.";

const EXPIRED =
  "This activation token has expired. An operator makes a new one with `admin reissue-activation --drone ID`.";

const failed = (message: string, cause?: unknown): DomainError =>
  new DomainError("activation_failed", message, { cause });

const storeDown = (cause: unknown): DomainError =>
  new DomainError("unavailable", "The object store does not answer. The token is still good: try again.", {
    cause,
  });
