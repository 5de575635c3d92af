import { setTimeout as delay } from "node:timers/promises";
import { configKey, identityLine } from "../../domain/client-config";
import { DomainError } from "../../domain/errors";
import type { ImageRegistry, RegistryLogin } from "../../platform/image-registry";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { RateLimit } from "../../platform/redis/rate-limit";
import { CONFIG_URL_SECONDS, type TunnelStatus } from "../vpn";
import { claimActivation, findWaitingDrone, type WaitingDrone } from "./activation.store";
import { composeKey } from "./compose-file";

interface ActivationDeps {
  readonly db: Db;
  /** The bucket of client configs. */
  readonly configs: Pick<ObjectStore, "beginsWith" | "presignGet">;
  /** The bucket of compose files. */
  readonly store: Pick<ObjectStore, "sizeOf" | "presignGet">;
  readonly tunnel: Pick<TunnelStatus, "peer">;
  readonly registry: Pick<ImageRegistry, "login">;
  /** Wrong tokens from one address. */
  readonly failedTries: RateLimit;
  readonly log: Logger;
  /** Longest wait for the tunnel; 15 s unless a test has less time. */
  readonly waitMs?: number;
}

export interface Activation extends RegistryLogin {
  /** Presigned. */
  readonly vpn: string;
  /** Presigned. */
  readonly compose: string;
}

const WAIT_MS = 15_000;
const POLL_MS = 250;
const STORE_LIMIT_MS = 5_000;
/** No secret is in it, and a drone's network may be slow. */
const COMPOSE_URL_SECONDS = 300;

/**
 * Gives a drone's computer all that it starts with, once. Its token goes through these states:
 *
 * waiting:  any number of calls may wait with it for the tunnel; whatever fails, it stays good.
 * used:     one call had everything in hand and cleared it, which was its last act before it answered.
 */
export class ActivationService {
  constructor(private readonly deps: ActivationDeps) {}

  /** Rejects with `activation_failed`, `too_many_requests` or `unavailable`. */
  async activate(token: string, network: string, hungUp: AbortSignal): Promise<Activation> {
    const { vehicle_type } = await this.droneOf(token, network);
    // What can be wrong on our side is looked at first: no drone waits 15 s to be told.
    const [login] = await Promise.all([this.deps.registry.login(), this.checkCompose(vehicle_type)]);
    const drone = await this.whenReachable(token, hungUp);
    const key = configKey({ plane: "drones", rowId: drone.id });
    const [vpn, compose] = await Promise.all([
      // The drone has no tunnel yet: it reaches the store as users do, not through the edge.
      this.deps.configs.presignGet(key, "user", CONFIG_URL_SECONDS),
      this.deps.store.presignGet(composeKey(vehicle_type), "user", COMPOSE_URL_SECONDS),
    ]);
    if (hungUp.aborted) throw failed("The caller hung up.");
    if (!(await claimActivation(this.deps.db, drone))) throw failed(USED);
    this.deps.log.info({ drone_id: drone.id }, "a drone was activated");
    return { ...login, vpn, compose };
  }

  /** Only a wrong token counts: a hangar full of drones behind one address is no attack. */
  private async droneOf(token: string, network: string): Promise<WaitingDrone> {
    const { db, failedTries } = this.deps;
    await failedTries.check(network);
    const drone = /^\d{10}$/.test(token) ? await findWaitingDrone(db, token) : undefined;
    if (drone) return drone;
    await failedTries.take(network);
    throw failed(USED);
  }

  private async checkCompose(vehicleType: WaitingDrone["vehicle_type"]): Promise<void> {
    const key = composeKey(vehicleType);
    const size = await this.deps.store.sizeOf(key, AbortSignal.timeout(STORE_LIMIT_MS)).catch((cause) => {
      throw storeDown(cause);
    });
    if (size === undefined) {
      throw new DomainError(
        "unavailable",
        `${key} is not published; an operator runs \`admin publish-compose\`.`,
      );
    }
  }

  /**
   * The drone, as soon as the tunnel has it as a peer and the config in the store is its own. The row is read
   * anew each time: it may be deleted, activated or given another key meanwhile.
   */
  private async whenReachable(token: string, hungUp: AbortSignal): Promise<WaitingDrone> {
    const limit = AbortSignal.timeout(this.deps.waitMs ?? WAIT_MS);
    const signal = AbortSignal.any([hungUp, limit]);
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
    if (fault) this.deps.log.warn({ err: fault.cause }, "a drone waited for its tunnel in vain");
    throw fault ?? failed("The tunnel has not taken this drone in yet. The token is still good: try again.");
  }

  private async isReachable(drone: WaitingDrone, signal: AbortSignal): Promise<boolean> {
    const { tunnel, configs } = this.deps;
    const peer = await tunnel.peer("drones", drone.ip, signal).catch((cause) => {
      throw failed("The tunnel service does not answer. The token is still good: try again.", cause);
    });
    if (!peer?.configured) return false;
    const member = { plane: "drones", rowId: drone.id, keyId: drone.vpn_key_id, ip: drone.ip } as const;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(STORE_LIMIT_MS)]);
    return configs.beginsWith(configKey(member), identityLine(member), limit).catch((cause) => {
      throw storeDown(cause);
    });
  }
}

const USED = "No drone waits for this activation token: it is wrong, or was used, or the drone has changed.";

const failed = (message: string, cause?: unknown): DomainError =>
  new DomainError("activation_failed", message, { cause });

const storeDown = (cause: unknown): DomainError =>
  new DomainError("unavailable", "The object store does not answer. The token is still good: try again.", {
    cause,
  });
