import type { LivePeer, Member } from "../../domain/peers";
import type { Plane } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";
import type { Keyring } from "../client-configs/keyring";
import type { Endpoints } from "../ha/endpoints";
import { TakeoverCalls } from "../ha/takeover";
import type { TunnelMetrics } from "../metrics";
import type { Os } from "../os/os";
import { applyPeerPlan, hushPeers } from "../wireguard/apply";
import {
  ensureInterface,
  type InterfaceSettings,
  isSound,
  readDump,
  removeInterface,
} from "../wireguard/interface";
import { type AddressIndex, indexOf } from "./address-index";
import { Agreement, type Comparison } from "./agreement";
import { DumpReader, type UnreadDump } from "./observed";
import { type PeerPlan, planPeers } from "./peers.plan";
import { keepPeersWhenManyVanish, VanishingPolicy } from "./policies";

export interface PlanePeersOptions {
  readonly os: Os;
  readonly plane: Plane;
  /** Throws when the plane cannot be had, such as without a usable hub key. */
  readonly settings: () => InterfaceSettings;
  /** Whether this hub is the one that serves; while it is not, the peers are in place and the interface is mute. */
  readonly isActive: () => boolean;
  readonly keyring: Pick<Keyring, "split" | "ownerOf" | "version">;
  readonly endpoints: Pick<Endpoints, "note" | "of" | "forget" | "latestFirst">;
  /** Some peers have not answered this hub's call: ask for `reconcile`. */
  readonly onCallsDue: () => void;
  readonly log: Logger;
  readonly metrics: TunnelMetrics;
}

/** Where peers are heard is to be kept, for a hub that ends without a word; to read thousands takes a while. */
const unreadForMs = (peers: number): number => Math.min(10_000, 1_000 + peers);

/** One plane's interface and its peers: looked at, compared with who should be there, and put right. */
export class PlanePeers {
  private known: ReadonlyMap<PublicKey, LivePeer> = new Map();
  /** The last look, until somebody asks for its peers. */
  private unread: { readonly peers: UnreadDump["peers"]; readonly changed: Set<PublicKey> } | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  private readonly dumps = new DumpReader();
  private members: readonly Member[] = [];
  private isUp = false;
  /** What it was made ready for. */
  private stoodActive: boolean | undefined;
  /** The interface's public key since we set it up. */
  private ownKey: string | undefined;
  private index: AddressIndex | undefined;
  private hasCompared = false;
  /** For each look that is under way, the peers that were changed since it began. */
  private readonly changedSince = new Set<Set<PublicKey>>();
  private readonly vanishing = new VanishingPolicy<string>();
  private readonly calls: TakeoverCalls;
  private readonly agreement: Agreement;

  constructor(private readonly options: PlanePeersOptions) {
    const { onCallsDue: onDue } = options;
    this.agreement = new Agreement(options.keyring);
    this.calls = new TakeoverCalls({ ...options, networkInterface: options.plane.interface, onDue });
  }

  get plane(): Plane {
    return this.options.plane;
  }

  /** Whether the interface was there, was ours, and as this hub's role has it, when last looked at. */
  get up(): boolean {
    return this.isUp && this.stoodActive === this.options.isActive();
  }

  /** The peers as they were when last looked at, with what was changed since. */
  get live(): ReadonlyMap<PublicKey, LivePeer> {
    this.readLastLook();
    return this.known;
  }

  /** As `live`, but of the last look that was read: what we changed is in it, what a peer did since is not. */
  get peers(): ReadonlyMap<PublicKey, LivePeer> {
    return this.known;
  }

  /** Whether the peers were compared with the database's rows once: who is not among them is none. */
  get isKnown(): boolean {
    return this.hasCompared;
  }

  /** Whom the database has in this plane, from now on. */
  want(members: readonly Member[]): void {
    this.members = members;
    this.index = undefined;
  }

  /**
   * Whether nobody but the member whom the database has there answers to an address. Not known, hence false,
   * until the interface has been looked at.
   */
  isSettled(ip: string): boolean {
    if (!this.up) return false;
    if (this.index?.of !== this.known) this.index = indexOf(this.known, this.members);
    const holder = this.index.holders.get(ip);
    if (holder === undefined) return true;
    const member = this.index.members.get(ip);
    return member !== undefined && this.options.keyring.split([member]).desired[0]?.publicKey === holder;
  }

  /**
   * Look at the interface only; it may run beside `reconcile`. Rejects when it cannot be read, or is not the one
   * that we set up.
   */
  async look(): Promise<UnreadDump> {
    const changed = new Set<PublicKey>();
    this.changedSince.add(changed);
    try {
      const observed = this.dumps.read(await readDump(this.options.os, this.plane.interface));
      if (this.ownKey !== undefined && observed.publicKey !== this.ownKey) {
        throw new Error(`${this.plane.interface} was made anew by somebody else.`);
      }
      this.unread = { peers: observed.peers, changed };
      if (performance.now() - this.readAt > unreadForMs(this.known.size)) this.readLastLook();
      this.isUp = true;
      return observed;
    } catch (error) {
      this.isUp = false;
      throw error;
    } finally {
      this.changedSince.delete(changed);
    }
  }

  /** Look, and take note of where peers are heard. */
  async readNow(): Promise<void> {
    if (!this.up) return;
    await this.look();
    this.readLastLook();
  }

  /** Look at the interface and what belongs to it; `up` tells how it was found. */
  async inspect(): Promise<void> {
    try {
      const observed = await this.look();
      this.isUp = await isSound(this.options.os, this.options.settings(), observed);
    } catch (error) {
      this.isUp = false;
      this.options.log.debug({ err: error, plane: this.plane.name }, "the interface cannot be read");
    }
  }

  /** Make the interface what it should be, anew when it is not there. Not to run beside `reconcile`. */
  async mend(): Promise<void> {
    this.isUp = false;
    // Where peers were heard last is known from the last look alone.
    this.readLastLook();
    const isActive = this.options.isActive();
    const takesOver = isActive && (await this.calls.prepare());
    const { observed, changes } = await ensureInterface(this.options.os, this.options.settings());
    this.ownKey = observed.publicKey;
    this.stoodActive = isActive;
    this.learn(observed.peers, new Set());
    this.isUp = true;
    for (const change of changes) {
      this.options.log.info({ interface: this.plane.interface, change }, "the interface was changed");
      this.options.metrics.changed("interface");
    }
    if (!takesOver) return;
    await this.calls.call(this.known);
    // The next tick ends the keepalives, of which it learns from the interface.
    await this.look();
  }

  /**
   * This hub is not the one that serves any more: not a packet from now on, and no session that clients will have
   * left when its turn comes again. Not to wait for other work.
   */
  async shut(): Promise<void> {
    this.isUp = false;
    this.stoodActive = undefined;
    await removeInterface(this.options.os, this.plane.interface);
  }

  /**
   * Make the peers what they should be, going by the last tick's look and what was changed since. Not to be called
   * again before it has settled. Rejects with one error that names each peer that could not be set.
   */
  async reconcile(isTick: boolean): Promise<void> {
    if (isTick) {
      this.readLastLook();
      await this.hush();
    }
    if (this.calls.areDue) {
      await this.readNow();
      await this.calls.callAgain(this.known);
    }
    const comparison = this.agreement.compare(this.members, this.known, isTick);
    if (comparison) await this.agree(comparison, isTick);
  }

  private async agree(comparison: Comparison, isTick: boolean): Promise<void> {
    const { keyring, log, metrics } = this.options;
    const { plane } = this;
    const wanted = planPeers(comparison.live, { ...comparison.wishes, ownerOf: keyring.ownerOf });
    const { plan, held } = keepPeersWhenManyVanish(wanted, this.known.size, isTick, this.vanishing);
    metrics.held(plane.name, held);
    if (held > 0) {
      log.error(
        { plane: plane.name, held, live: this.known.size },
        "many peers vanished from the database at once; they stay until three ticks agree",
      );
    }
    try {
      if (plan.remove.length > 0 || plan.upsert.length > 0) await this.carryOut(plan);
    } finally {
      this.hasCompared = true;
    }
    this.agreement.settle(comparison, this.known, held);
  }

  private async carryOut(plan: PeerPlan): Promise<void> {
    const { os } = this.options;
    const { plane } = this;
    this.outdateLooks(plan);
    // A standby's are called when it takes over.
    const speakFirst = this.options.isActive() ? this.options.endpoints.of : undefined;
    const failures = await applyPeerPlan(os, plane.interface, plan, speakFirst);
    this.outdateLooks(plan);
    this.note(plan, failures);
    if (failures.size > 0) {
      throw new AggregateError(
        failures.values(),
        `${failures.size} peer(s) of ${plane.interface} were not set.`,
      );
    }
  }

  /** What a look that is under way, or not read yet, saw of these peers may be of before the change. */
  private outdateLooks({ remove, upsert }: PeerPlan): void {
    for (const changed of [...this.changedSince, ...(this.unread ? [this.unread.changed] : [])]) {
      for (const { publicKey } of remove) changed.add(publicKey);
      for (const { peer } of upsert) changed.add(peer.publicKey);
    }
  }

  /** Thousands of peers are looked at each second, and read when somebody asks. */
  private readLastLook(): void {
    const { unread } = this;
    this.unread = undefined;
    if (!unread) return;
    this.readAt = performance.now();
    try {
      this.learn(unread.peers(), unread.changed);
    } catch (error) {
      this.options.log.error({ err: error, plane: this.plane.name }, "the interface's peers cannot be read");
      this.options.metrics.failed("stats");
    }
  }

  /** Take over what was seen, but for the peers that were changed after the look began. */
  private learn(seen: ReadonlyMap<PublicKey, LivePeer>, changed: ReadonlySet<PublicKey>): void {
    const peers = changed.size === 0 ? seen : new Map(seen);
    for (const key of changed) {
      const known = this.known.get(key);
      if (known) (peers as Map<PublicKey, LivePeer>).set(key, known);
      else (peers as Map<PublicKey, LivePeer>).delete(key);
    }
    this.known = peers;
    // A standby hears nobody: what its interface has is of before.
    if (this.stoodActive !== false) this.options.endpoints.note(peers.values());
    this.options.metrics.peers(this.plane.name, peers.size);
  }

  /** A tick after it was made anew, a peer has answered or is away. */
  private async hush(): Promise<void> {
    const called = [...this.known.values()].filter(({ keepalive }) => keepalive);
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
    const peers = new Map(this.known);
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
    this.known = peers;
    metrics.peers(this.plane.name, peers.size);
  }
}
