import { setTimeout as delay } from "node:timers/promises";
import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Os } from "../os/os";
import { parseDump } from "../reconcile/observed";
import { callPeers, callPeersAnew, setEndpoints } from "../wireguard/apply";
import { isRaised, readDump } from "../wireguard/interface";
import type { Endpoints } from "./endpoints";

/** Peers that a hub calls at once when it takes over, and how far apart it calls more. */
const CALLS_AT_ONCE = 250;
const CALLS_APART_MS = 50;
/**
 * The public address moves a moment after a hub is ready, and answers to calls before that are lost. WireGuard itself
 * would call again after five seconds.
 */
const ROUNDS = 6;
const ROUNDS_APART_MS = 1_000;

export interface TakeoverCallsOptions {
  readonly os: Os;
  readonly networkInterface: string;
  readonly isActive: () => boolean;
  readonly endpoints: Pick<Endpoints, "of" | "latestFirst">;
  /** It is time for `callAgain`. */
  readonly onDue: () => void;
  readonly log: Logger;
}

/**
 * A hub that takes over speaks first, to those heard last before the others: an idle client would not notice the
 * change for minutes. none → called → called again, each round those only that have not answered → none.
 */
export class TakeoverCalls {
  /** Of each peer that was called, its last handshake before that. */
  private waiting = new Map<PublicKey, number>();
  private roundsLeft = 0;
  private dueAt = 0;

  constructor(private readonly options: TakeoverCallsOptions) {}

  /**
   * Before the interface goes up: where each peer was last heard. False when it is up already, or has no peer, and
   * nobody needs a call.
   */
  async prepare(): Promise<boolean> {
    const { os, networkInterface, endpoints, log } = this.options;
    this.waiting.clear();
    if (await isRaised(os, networkInterface)) return false;
    const dump = await readDump(os, networkInterface).catch(() => undefined);
    const peers = dump === undefined ? [] : [...parseDump(dump).peers.values()];
    if (peers.length === 0) return false;
    const heard = new Map<PublicKey, string>();
    for (const { publicKey, endpoint } of peers) {
      const shared = endpoints.of(publicKey);
      if (shared !== undefined && shared !== endpoint) heard.set(publicKey, shared);
    }
    await setEndpoints(os, networkInterface, heard).catch((error) =>
      log.error({ err: error, interface: networkInterface }, "some peers are not called by this hub"),
    );
    return true;
  }

  /** Resolves when each has been called once. */
  async call(peers: ReadonlyMap<PublicKey, LivePeer>): Promise<void> {
    const { os, networkInterface, endpoints, log } = this.options;
    const known = [...peers.keys()].filter((key) => endpoints.of(key) !== undefined);
    this.waiting = new Map(
      endpoints.latestFirst(known).map((key) => [key, peers.get(key)?.latestHandshake ?? 0]),
    );
    this.roundsLeft = ROUNDS;
    await this.inGroups((keys) => callPeers(os, networkInterface, keys));
    log.info({ interface: networkInterface, called: this.waiting.size }, "this hub has called its peers");
  }

  /** Whether those that have not answered are to be called again now. */
  get areDue(): boolean {
    return this.waiting.size > 0 && performance.now() >= this.dueAt && this.options.isActive();
  }

  /** The peers as they are now. */
  async callAgain(peers: ReadonlyMap<PublicKey, LivePeer>): Promise<void> {
    const { os, networkInterface, endpoints, log } = this.options;
    for (const [key, handshake] of this.waiting) {
      if (peers.get(key)?.latestHandshake !== handshake) this.waiting.delete(key);
    }
    const called = this.waiting.size;
    if (called === 0) return;
    await this.inGroups((keys) =>
      callPeersAnew(
        os,
        networkInterface,
        keys.flatMap((publicKey) => {
          const { allowedIps = [] } = peers.get(publicKey) ?? {};
          const endpoint = endpoints.of(publicKey);
          return endpoint === undefined ? [] : [{ publicKey, endpoint, allowedIps }];
        }),
      ),
    );
    log.info({ interface: networkInterface, called }, "this hub has called its peers again");
  }

  private async inGroups(call: (keys: readonly PublicKey[]) => Promise<void>): Promise<void> {
    const { isActive, onDue, log, networkInterface } = this.options;
    const startedAt = performance.now();
    const keys = [...this.waiting.keys()];
    for (let start = 0; start < keys.length && isActive(); start += CALLS_AT_ONCE) {
      if (start > 0) await delay(CALLS_APART_MS);
      await call(keys.slice(start, start + CALLS_AT_ONCE)).catch((error) =>
        log.error({ err: error, interface: networkInterface }, "some peers were not called"),
      );
    }
    if (--this.roundsLeft === 0) return this.waiting.clear();
    // A large fleet is given time to answer: the calls of thousands keep this node busy for seconds.
    const waitMs = Math.max(ROUNDS_APART_MS, 2 * (performance.now() - startedAt));
    this.dueAt = performance.now() + waitMs;
    setTimeout(() => this.waiting.size > 0 && onDue(), waitMs + 1).unref();
  }
}
