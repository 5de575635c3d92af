import type { LivePeer, Member } from "../../domain/peers";
import type { Plane } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Keyring } from "../client-configs/keyring";
import type { Endpoints } from "../ha/endpoints";
import { TakeoverHandshakes } from "../ha/takeover";
import type { TunnelMetrics } from "../metrics";
import type { Os } from "../os/os";
import { disableKeepalives, type PeerSetting, setPeers } from "../wireguard/apply";
import {
  ensureInterface,
  type InterfaceSettings,
  isInterfaceCurrent,
  readDump,
  removeInterface,
} from "../wireguard/interface";
import { type ObservedInterface, parseDump } from "./observed";
import { type PeerPlan, planPeers } from "./peers.plan";
import { VanishingPolicy } from "./policies";

interface PlanePeersOptions {
  readonly os: Os;
  readonly plane: Plane;
  /** Throws when the plane cannot be had, such as without a usable hub key. */
  readonly settings: () => InterfaceSettings;
  /** Whether this hub serves. While it does not, the peers are in place and the interface is down. */
  readonly isActive: () => boolean;
  /** The members that the database wants, by address; undefined until the rows have been read. */
  readonly members: () => ReadonlyMap<string, Member> | undefined;
  /** Whether the firewall stands. No interface is made before. */
  readonly hasRules: () => boolean;
  readonly keyring: Pick<Keyring, "keys">;
  readonly endpoints: Pick<Endpoints, "record" | "of" | "forget">;
  /** Some peers have not answered this hub's handshake: ask for `reconcile`. */
  readonly onHandshakesDue: () => void;
  readonly log: Logger;
  readonly metrics: TunnelMetrics;
}

/** Keeps one plane's interface and its peers as the database wants them. */
export class PlanePeers {
  /** The peers as the interface had them at the last look, with our changes since. */
  private known: ReadonlyMap<PublicKey, LivePeer> = new Map();
  /** As the last dump showed it. */
  private observed: ObservedInterface | undefined;
  /** The key that holds an address (a CIDR) of `known`; undefined until it is asked for. */
  private holders: ReadonlyMap<string, PublicKey> | undefined;
  private isUp = false;
  /** The role that the interface was made ready for; undefined when it was removed. */
  private stoodActive: boolean | undefined;
  /** The interface's public key since we set it up. */
  private ownKey: string | undefined;
  private hasCompared = false;
  private held = 0;
  /** For each look that is under way, the peers that were changed since it began. */
  private readonly changedSince = new Set<Set<PublicKey>>();
  private readonly vanishing = new VanishingPolicy<string>();
  private readonly takeover: TakeoverHandshakes;

  constructor(private readonly options: PlanePeersOptions) {
    const { onHandshakesDue: onDue } = options;
    this.takeover = new TakeoverHandshakes({ ...options, networkInterface: options.plane.interface, onDue });
  }

  get plane(): Plane {
    return this.options.plane;
  }

  /** Whether the interface was there, was ours, and as this hub's role has it, when last looked at. */
  get up(): boolean {
    return this.isUp && this.stoodActive === this.options.isActive();
  }

  /** The peers as the interface had them at the last look, at most a second ago, with our changes since. */
  get live(): ReadonlyMap<PublicKey, LivePeer> {
    return this.known;
  }

  /** Whether the peers have been compared with the database's rows once. */
  get isKnown(): boolean {
    return this.hasCompared;
  }

  /**
   * Whether no other key than its member's holds an address. False until the interface has been read: before
   * that nothing is known.
   */
  isSettled(ip: string): boolean {
    if (!this.up) return false;
    this.holders ??= holdersOf(this.known);
    const holder = this.holders.get(`${ip}/32`);
    if (holder === undefined) return true;
    const member = this.options.members()?.get(ip);
    return member !== undefined && this.options.keyring.keys.get(member.id)?.publicKey === holder;
  }

  /**
   * Reads the interface only; it may run beside `reconcile`. Rejects when it cannot be read, or is not the one that we
   * set up.
   */
  async read(): Promise<ObservedInterface> {
    const changed = new Set<PublicKey>();
    this.changedSince.add(changed);
    try {
      const observed = parseDump(await readDump(this.options.os, this.plane.interface), this.observed);
      if (this.ownKey !== undefined && observed.publicKey !== this.ownKey) {
        throw new Error(`${this.plane.interface} was recreated by another program.`);
      }
      this.observed = observed;
      this.update(observed.peers, changed);
      this.isUp = true;
      return observed;
    } catch (error) {
      this.isUp = false;
      throw error;
    } finally {
      this.changedSince.delete(changed);
    }
  }

  /** Reads an interface that is up, so that endpoints are fresh. */
  async readIfUp(): Promise<void> {
    if (this.up) await this.read();
  }

  /** Reads the interface and checks its settings; `up` tells how it was found. */
  async inspect(): Promise<void> {
    try {
      const observed = await this.read();
      this.isUp = await isInterfaceCurrent(this.options.os, this.options.settings(), observed);
    } catch (error) {
      this.isUp = false;
      this.options.log.debug({ err: error, plane: this.plane.name }, "Cannot read an interface");
    }
  }

  /** Configure the interface unless it is up, and create it when it is missing. Must not run beside `reconcile`. */
  async ensureUp(): Promise<void> {
    if (this.up) return;
    this.isUp = false;
    if (!this.options.hasRules()) {
      throw new Error(`${this.plane.interface} stays as it is until the firewall stands.`);
    }
    const isActive = this.options.isActive();
    const takesOver = isActive && (await this.takeover.prepare());
    const { observed, changes } = await ensureInterface(this.options.os, this.options.settings());
    this.ownKey = observed.publicKey;
    this.stoodActive = isActive;
    this.update(observed.peers, new Set());
    this.isUp = true;
    for (const change of changes) {
      this.options.log.info({ interface: this.plane.interface, change }, "Changed an interface");
      this.options.metrics.changed("interface");
    }
    if (!takesOver) return;
    await this.takeover.start(this.known);
    // So that the next tick finds the keepalives and turns them off.
    await this.read();
  }

  /**
   * Remove the interface with its sessions at once: this hub does not serve any more. Does not wait for other work.
   */
  async shut(): Promise<void> {
    this.isUp = false;
    this.stoodActive = undefined;
    await removeInterface(this.options.os, this.plane.interface);
  }

  /**
   * Make the peers what they should be, going by the last read and our changes since; removals come first. Calls must not
   * overlap. Rejects with one error that names each peer that could not be set.
   */
  async reconcile(isTick: boolean): Promise<void> {
    if (isTick) await this.endKeepalives();
    if (this.takeover.isRetryDue) {
      await this.read();
      await this.takeover.retry(this.known);
    }
    const { os, members, keyring, isActive, endpoints } = this.options;
    const wanted = members();
    if (!wanted) return;
    const { remove, upsert } = planPeers(this.known, wanted, keyring.keys);
    const vanishing = remove.filter(({ why }) => why === "vanished").map(({ publicKey }) => publicKey);
    const mayVanish = this.vanishing.allowed(vanishing, this.known.size, isTick);
    this.reportHeld(vanishing.length - mayVanish.size, isTick);
    const removals = remove.filter(({ why, publicKey }) => why === "replaced" || mayVanish.has(publicKey));
    const settings = [
      ...removals.map(({ publicKey }) => ({ publicKey, args: ["remove"] })),
      ...upsert.map(({ peer: { publicKey, ip }, why }) => {
        // A new peer whose endpoint is known is sent a handshake. A standby's are sent one when it takes over.
        const endpoint = why === "created" && isActive() ? endpoints.of(publicKey) : undefined;
        const handshake = endpoint ? ["endpoint", endpoint, "persistent-keepalive", "25"] : [];
        return { publicKey, args: [...handshake, "allowed-ips", `${ip}/32`] };
      }),
    ];
    try {
      if (settings.length === 0) return;
      this.markChanged(settings);
      const failures = await setPeers(os, this.plane.interface, settings);
      this.markChanged(settings);
      this.report({ remove: removals, upsert }, failures);
      if (failures.size > 0) {
        const message = `${failures.size} peer(s) of ${this.plane.interface} were not set.`;
        throw new AggregateError(failures.values(), message);
      }
    } finally {
      this.hasCompared = true;
    }
  }

  private reportHeld(held: number, isTick: boolean): void {
    const { log, metrics } = this.options;
    metrics.held(this.plane.name, held);
    if (held > 0 && (isTick || held !== this.held)) {
      log.error(
        { plane: this.plane.name, held, live: this.known.size },
        "Many peers vanished from the database at once; they stay until three ticks confirm it",
      );
    }
    this.held = held;
  }

  /** A look that is under way may have seen these peers as they were before the change. */
  private markChanged(settings: readonly PeerSetting[]): void {
    for (const changed of this.changedSince) for (const { publicKey } of settings) changed.add(publicKey);
  }

  /** Take over what was seen, but for the peers that were changed after the look began. */
  private update(seen: ReadonlyMap<PublicKey, LivePeer>, changed: ReadonlySet<PublicKey>): void {
    let peers = seen;
    if (changed.size > 0) {
      const merged = new Map(seen);
      for (const key of changed) {
        const known = this.known.get(key);
        if (known) merged.set(key, known);
        else merged.delete(key);
      }
      peers = merged;
    }
    this.setKnown(peers);
    // A standby's interface receives nothing: its endpoints are old.
    if (this.stoodActive !== false) this.options.endpoints.record(peers.values());
  }

  private setKnown(peers: ReadonlyMap<PublicKey, LivePeer>): void {
    if (peers !== this.known) this.holders = undefined;
    this.known = peers;
    this.options.metrics.peers(this.plane.name, peers.size);
  }

  /** A tick after the hub sent handshakes to its peers, each peer has answered or is away. */
  private async endKeepalives(): Promise<void> {
    const asked = [...this.known.values()].filter(({ keepalive }) => keepalive);
    if (asked.length === 0) return;
    const publicKeys = asked.map(({ publicKey }) => publicKey);
    await disableKeepalives(this.options.os, this.plane.interface, publicKeys);
  }

  /** Log and count each change, and take it over before the next look. */
  private report(plan: PeerPlan, failures: ReadonlyMap<string, Error>): void {
    const { log, metrics } = this.options;
    const peers = new Map(this.known);
    for (const { publicKey, ip, owner, why } of plan.remove) {
      const change = { plane: this.plane.name, ip, public_key: publicKey, peer: owner, why };
      if (failures.has(publicKey)) {
        log.error({ ...change, err: failures.get(publicKey) }, "Failed to remove a peer");
        continue;
      }
      peers.delete(publicKey);
      this.options.endpoints.forget(publicKey);
      metrics.changed("peer-removed");
      log.info(change, "Removed a peer");
    }
    for (const { peer, why } of plan.upsert) {
      const { publicKey, ip, rowId } = peer;
      const change = { plane: this.plane.name, ip, public_key: publicKey, row: rowId, why };
      if (failures.has(publicKey)) {
        log.error({ ...change, err: failures.get(publicKey) }, "Failed to set a peer");
        continue;
      }
      peers.set(publicKey, {
        ...(peers.get(publicKey) ?? { latestHandshake: 0, receivedBytes: 0, sentBytes: 0 }),
        publicKey,
        allowedIps: [`${ip}/32`],
      });
      metrics.changed(`peer-${why}`);
      log.info(change, "Set a peer");
    }
    this.setKnown(peers);
  }
}

function holdersOf(peers: ReadonlyMap<PublicKey, LivePeer>): Map<string, PublicKey> {
  const holders = new Map<string, PublicKey>();
  for (const { publicKey, allowedIps } of peers.values())
    for (const cidr of allowedIps) holders.set(cidr, publicKey);
  return holders;
}
