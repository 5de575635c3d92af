import { setTimeout as delay } from "node:timers/promises";
import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Os } from "../os/os";
import { parseDump } from "../reconcile/observed";
import { restartHandshakes, setEndpoints, startHandshakes } from "../wireguard/apply";
import { isInterfaceUp, readDump } from "../wireguard/interface";
import type { Endpoints } from "./endpoints";

/** Peers that get a handshake at once, and the pause before the next group. */
const GROUP_SIZE = 250;
const GROUP_INTERVAL_MS = 50;
/**
 * The pauses between rounds. The public address moves a moment after a hub is ready, and the answers to earlier handshakes
 * are lost; WireGuard itself would try again after five seconds. A handshake ends the one before, so a client whose answer
 * takes long needs a long pause.
 */
const PAUSES_MS = [250, 250, 500, 500, 1_000, 1_000, 1_000, 1_000];

interface TakeoverOptions {
  readonly os: Os;
  readonly networkInterface: string;
  readonly isActive: () => boolean;
  readonly endpoints: Pick<Endpoints, "of">;
  /** Another round is due: call `retry`. */
  readonly onDue: () => void;
  readonly log: Logger;
}

/**
 * Handshakes of a hub that takes over: an idle client would not notice the change for minutes. idle → first round →
 * further rounds, for peers that have not answered → idle.
 */
export class TakeoverHandshakes {
  /** The peers that have not answered, each with its last handshake before the first round. */
  private waiting = new Map<PublicKey, number>();
  private round = 0;
  private dueAt = 0;

  constructor(private readonly options: TakeoverOptions) {}

  /**
   * Set each peer's endpoint before the interface goes up. False when the interface is up already or has no peer: then no
   * handshake is needed.
   */
  async prepare(): Promise<boolean> {
    const { os, networkInterface, endpoints, log } = this.options;
    this.waiting.clear();
    if (await isInterfaceUp(os, networkInterface)) return false;
    const dump = await readDump(os, networkInterface).catch(() => undefined);
    const peers = dump === undefined ? [] : [...parseDump(dump).peers.values()];
    if (peers.length === 0) return false;
    const received = new Map<PublicKey, string>();
    for (const { publicKey, endpoint } of peers) {
      const shared = endpoints.of(publicKey);
      if (shared !== undefined && shared !== endpoint) received.set(publicKey, shared);
    }
    await setEndpoints(os, networkInterface, received).catch((error) =>
      log.error({ err: error, interface: networkInterface }, "Cannot set the endpoints of some peers"),
    );
    return true;
  }

  /** Resolves when each peer was sent one handshake. */
  async start(peers: ReadonlyMap<PublicKey, LivePeer>): Promise<void> {
    const { os, networkInterface, endpoints, log } = this.options;
    const known = [...peers.keys()].filter((key) => endpoints.of(key) !== undefined);
    this.waiting = new Map(known.map((key) => [key, peers.get(key)?.latestHandshake ?? 0]));
    this.round = 0;
    await this.inGroups((keys) => startHandshakes(os, networkInterface, keys));
    log.info({ interface: networkInterface, peers: this.waiting.size }, "Sent handshakes to the peers");
  }

  /** Whether another round is due now. */
  get isRetryDue(): boolean {
    return this.waiting.size > 0 && performance.now() >= this.dueAt && this.options.isActive();
  }

  /** Send another handshake to the peers that have not answered. `peers` are the peers as they are now. */
  async retry(peers: ReadonlyMap<PublicKey, LivePeer>): Promise<void> {
    const { os, networkInterface, endpoints, log } = this.options;
    for (const [key, handshake] of this.waiting) {
      if (peers.get(key)?.latestHandshake !== handshake) this.waiting.delete(key);
    }
    const count = this.waiting.size;
    if (count === 0) return;
    await this.inGroups((keys) =>
      restartHandshakes(
        os,
        networkInterface,
        keys.flatMap((publicKey) => {
          const { allowedIps = [] } = peers.get(publicKey) ?? {};
          const endpoint = endpoints.of(publicKey);
          return endpoint === undefined ? [] : [{ publicKey, endpoint, allowedIps }];
        }),
      ),
    );
    log.info({ interface: networkInterface, peers: count }, "Sent handshakes to the peers again");
  }

  private async inGroups(call: (keys: readonly PublicKey[]) => Promise<void>): Promise<void> {
    const { isActive, onDue, log, networkInterface } = this.options;
    const startedAt = performance.now();
    const keys = [...this.waiting.keys()];
    for (let start = 0; start < keys.length && isActive(); start += GROUP_SIZE) {
      if (start > 0) await delay(GROUP_INTERVAL_MS);
      await call(keys.slice(start, start + GROUP_SIZE)).catch((error) =>
        log.error({ err: error, interface: networkInterface }, "Cannot send handshakes to some peers"),
      );
    }
    const pauseMs = PAUSES_MS[this.round++];
    if (pauseMs === undefined) return this.waiting.clear();
    // A large fleet needs time to answer: thousands of handshakes keep this node busy for seconds.
    const waitMs = Math.max(pauseMs, 2 * (performance.now() - startedAt));
    this.dueAt = performance.now() + waitMs;
    setTimeout(() => this.waiting.size > 0 && onDue(), waitMs + 1).unref();
  }
}
