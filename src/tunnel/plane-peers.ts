import type { LivePeer, Member } from "../domain/peers";
import type { Plane } from "../domain/tunnel-planes";
import type { PublicKey } from "../domain/wireguard";
import type { Logger } from "../platform/log";
import type { Keyring } from "./client-configs/keyring";
import type { Endpoints } from "./endpoints";
import type { TunnelMetrics } from "./metrics";
import type { Os } from "./os/os";
import { type PeerPlan, planPeers } from "./peers.plan";
import { keepPeersWhenManyVanish, VanishingPolicy } from "./policies";
import { applyPeerPlan, hushPeers } from "./wireguard/apply";
import { ensureInterface, type InterfaceSettings, readInterface } from "./wireguard/interface";

export interface PlanePeersOptions {
  readonly os: Os;
  readonly plane: Plane;
  /** Throws when the plane cannot be had, such as without a usable hub key. */
  readonly settings: () => InterfaceSettings;
  readonly keyring: Pick<Keyring, "split" | "ownerOf">;
  readonly endpoints: Pick<Endpoints, "note" | "of" | "forget">;
  readonly log: Logger;
  readonly metrics: TunnelMetrics;
}

/** One plane's interface and its peers: looked at, compared with who should be there, and put right. */
export class PlanePeers {
  private peers: ReadonlyMap<PublicKey, LivePeer> = new Map();
  private isUp = false;
  private readonly vanishing = new VanishingPolicy<string>();

  constructor(private readonly options: PlanePeersOptions) {}

  get plane(): Plane {
    return this.options.plane;
  }

  get up(): boolean {
    return this.isUp;
  }

  /** The peers as they were when last looked at, with what was changed since. */
  get live(): ReadonlyMap<PublicKey, LivePeer> {
    return this.peers;
  }

  /** Look at the interface only. Rejects when it cannot be read. */
  async look(): Promise<void> {
    try {
      this.peers = (await readInterface(this.options.os, this.plane.interface)).peers;
      this.isUp = true;
    } catch (error) {
      this.isUp = false;
      throw error;
    }
    this.options.endpoints.note(this.peers.values());
    this.options.metrics.peers(this.plane.name, this.peers.size);
  }

  /** Look, and with `full`, or when there is nothing to look at, see to the interface itself. */
  async ensure(full: boolean): Promise<void> {
    if (!full) {
      try {
        return await this.look();
      } catch (error) {
        this.options.log.warn({ err: error, plane: this.plane.name }, "the interface cannot be read");
      }
    }
    this.isUp = false;
    const { observed, changes } = await ensureInterface(this.options.os, this.options.settings());
    this.peers = observed.peers;
    this.isUp = true;
    for (const change of changes) {
      this.options.log.info({ interface: this.plane.interface, change }, "the interface was changed");
      this.options.metrics.changed("interface");
    }
    this.options.metrics.peers(this.plane.name, this.peers.size);
  }

  /** Make the peers what they should be. Rejects with one error that names each peer that could not be set. */
  async reconcile(members: readonly Member[], isTick: boolean): Promise<void> {
    const { os, keyring, log, metrics } = this.options;
    const { plane } = this;
    if (isTick) await this.hush();
    const wanted = planPeers(this.peers, { ...keyring.split(members), ownerOf: keyring.ownerOf });
    const { plan, held } = keepPeersWhenManyVanish(wanted, this.peers.size, isTick, this.vanishing);
    metrics.held(plane.name, held);
    if (held > 0) {
      log.error(
        { plane: plane.name, held, live: this.peers.size },
        "many peers vanished from the database at once; they stay until three ticks agree",
      );
    }
    if (plan.remove.length === 0 && plan.upsert.length === 0) return;
    const failures = await applyPeerPlan(os, plane.interface, plan, this.options.endpoints.of);
    this.note(plan, failures);
    if (failures.size > 0) {
      throw new AggregateError(
        failures.values(),
        `${failures.size} peer(s) of ${plane.interface} were not set.`,
      );
    }
  }

  /** A tick after it was made anew, a peer has answered or is away. */
  private async hush(): Promise<void> {
    const called = [...this.peers.values()].filter(({ keepalive }) => keepalive);
    if (called.length === 0) return;
    await hushPeers(
      this.options.os,
      this.plane.interface,
      called.map(({ publicKey }) => publicKey),
    );
  }

  /** Log and count each change, and know of it before the next look. */
  private note(plan: PeerPlan, failures: ReadonlyMap<string, Error>): void {
    const { log, metrics, keyring } = this.options;
    const peers = new Map(this.peers);
    for (const { publicKey, ip, why } of plan.remove) {
      const change = {
        plane: this.plane.name,
        ip,
        public_key: publicKey,
        peer: keyring.ownerOf(publicKey),
        why,
      };
      if (failures.has(publicKey)) {
        log.error({ ...change, err: failures.get(publicKey) }, "a peer was not removed");
        continue;
      }
      peers.delete(publicKey);
      this.options.endpoints.forget(publicKey);
      metrics.changed("peer-removed");
      log.info(change, "a peer was removed");
    }
    for (const { peer, why } of plan.upsert) {
      const { publicKey, ip, rowId } = peer;
      const change = { plane: this.plane.name, ip, public_key: publicKey, row: rowId, why };
      if (failures.has(publicKey)) {
        log.error({ ...change, err: failures.get(publicKey) }, "a peer was not set");
        continue;
      }
      peers.set(publicKey, {
        ...(peers.get(publicKey) ?? { latestHandshake: 0, receivedBytes: 0, sentBytes: 0 }),
        publicKey,
        allowedIps: [`${ip}/32`],
      });
      metrics.changed(`peer-${why}`);
      log.info(change, "a peer was set");
    }
    this.peers = peers;
    metrics.peers(this.plane.name, peers.size);
  }
}
