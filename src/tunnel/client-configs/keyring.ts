import { configKey } from "../../domain/client-config";
import { type DesiredPeer, type Member, type PeerId, peerId } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import { VanishingPolicy } from "../reconcile/policies";
import { inParallel } from "./in-parallel";
import type { IndexCopy } from "./index-copy";
import { type IndexEntry, readIndex, writeIndex } from "./index-object";
import { orphansAmong, retireOrphan } from "./orphans";
import { type ConfigDamage, clearOldTombstones, publishConfig, repairConfig, retireConfig } from "./publish";
import { type ConfigStore, INDEX_KEY } from "./store";
import { suspectsAmong } from "./suspects";
import type { HubForClients } from "./text";

export interface KeyringOptions {
  readonly store: ConfigStore;
  /** What the daemon before knew. */
  readonly copy?: Pick<IndexCopy, "read" | "write"> | undefined;
  /** A plane whose hub has no usable key has no entry, and its members wait. */
  readonly hubs: Readonly<Partial<Record<PlaneName, HubForClients>>>;
  readonly log: Logger;
  readonly clock: Clock;
  /** Keys became known: peers that waited may go live. */
  readonly onKeys: () => void;
  readonly onFailure: (error: Error) => void;
  /** A config was found damaged. */
  readonly onDamaged: (outcome: ConfigDamage) => void;
  /** How many configs cannot be read although their peers live. */
  readonly onLost: (count: number) => void;
  /** How long after the start the store is first compared with the index; some seconds when absent. */
  readonly auditDelayMs?: number;
  /** Whether this hub may write to the store; one that may not learns from the index what another writes. */
  readonly mayWrite: () => boolean;
}

const planeOf = (id: PeerId): PlaneName => id.slice(0, id.indexOf("/")) as PlaneName;

const WIDTH = 32;
/** Thousands of entries are written at each change of one; what is not in the index is read from its config. */
const INDEX_DELAY_MS = 2_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;
const ANNOUNCE_EVERY_MS = 1_000;
const AUDIT_EVERY_MS = 5 * 60_000;
/** A rebuild at the start has the processor to itself. */
const AUDIT_DELAY_MS = 5_000;

/**
 * Whose key is which. It works beside the reconciler, which never waits for the object store: members whose key
 * is not known yet are wanted, and `onKeys` tells when some are.
 *
 * unread → reading → ready. Until the index has been read no key is known but those of the node's own copy, and nothing
 * is published or retired.
 */
export class Keyring {
  private entries = new Map<PeerId, IndexEntry>();
  private owners = new Map<PublicKey, PeerId>();
  private state: "unread" | "ready" = "unread";
  private wanted = new Map<PeerId, Member>();
  private retired = new Map<PeerId, IndexEntry>();
  private working: Promise<void> | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private retryMs = RETRY_MS;
  private indexTimer: NodeJS.Timeout | undefined;
  private indexChanged = false;
  private auditedAt: number;
  private announcedAt = 0;
  /** Undefined until they have been read once. */
  private members: readonly Member[] | undefined;
  private stopped = false;
  private readonly vanishing = new VanishingPolicy<PeerId>();
  private readonly vanishingOrphans = new VanishingPolicy<string>();

  constructor(private readonly options: KeyringOptions) {
    this.auditedAt =
      options.clock.now().getTime() - AUDIT_EVERY_MS + (options.auditDelayMs ?? AUDIT_DELAY_MS);
  }

  ownerOf = (publicKey: PublicKey): PeerId | undefined => this.owners.get(publicKey);

  /** Read the index before anybody is attended to: a rebuild waits for it. */
  start(): void {
    const copy = this.options.copy?.read();
    if (copy !== undefined) this.learnAll(copy);
    this.work();
  }

  /** Tell members whose key is known from those who have to wait for theirs. */
  split(members: readonly Member[]): { desired: DesiredPeer[]; waiting: Member[] } {
    const desired: DesiredPeer[] = [];
    const waiting: Member[] = [];
    for (const member of members) {
      const entry = this.entries.get(peerId(member));
      if (entry) desired.push({ ...member, publicKey: entry.publicKey });
      else waiting.push(member);
    }
    return { desired, waiting };
  }

  /**
   * Everyone who should have a config now, and the keys that still live. Publishes what is missing and retires
   * what is neither desired nor live, under the same policy as the peers.
   */
  attend(members: readonly Member[], live: ReadonlySet<PublicKey>, isTick: boolean): void {
    this.members = members;
    const present = new Set<PeerId>();
    const before = this.wanted;
    this.wanted = new Map();
    for (const member of members) {
      const id = peerId(member);
      present.add(id);
      if (!this.entries.has(id)) this.wanted.set(id, member);
    }
    if (!this.options.mayWrite()) {
      // Read again, also by the hub that begins to write.
      this.state = "unread";
      if (isTick) this.work();
      return;
    }
    const stale = this.state === "unread" ? [] : this.staleAmong(present, live);
    const allowed = this.vanishing.allowed(
      stale.map(([id]) => id),
      this.entries.size,
      isTick,
    );
    for (const [id, entry] of stale) {
      if (!allowed.has(id)) continue;
      this.entries.delete(id);
      this.owners.delete(entry.publicKey);
      this.retired.set(id, entry);
      this.saveIndexSoon();
    }
    // Whoever is new does not wait for the next try of those that failed.
    if ([...this.wanted.keys()].some((id) => !before.has(id))) this.cancelRetry();
    const auditIsDue = this.options.clock.now().getTime() - this.auditedAt > AUDIT_EVERY_MS;
    if (this.wanted.size > 0 || this.retired.size > 0 || this.state === "unread" || (isTick && auditIsDue)) {
      this.work();
    }
  }

  private staleAmong(present: ReadonlySet<PeerId>, live: ReadonlySet<PublicKey>): [PeerId, IndexEntry][] {
    return [...this.entries].filter(([id, { publicKey }]) => !present.has(id) && !live.has(publicKey));
  }

  /** Finish what is under way and write the index. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelRetry();
    clearTimeout(this.indexTimer);
    await this.working;
    if (this.indexChanged && this.options.mayWrite()) await this.saveIndex();
  }

  private work(): void {
    if (this.working || this.retryTimer || this.stopped) return;
    this.working = this.workOnce()
      .catch((error: Error) => [error])
      .then((failures) => {
        this.working = undefined;
        for (const failure of failures) this.options.onFailure(failure);
        if (failures.length > 0) this.retryLater();
        else this.retryMs = RETRY_MS;
        if (
          failures.length === 0 &&
          this.options.mayWrite() &&
          (this.wanted.size > 0 || this.retired.size > 0)
        )
          this.work();
      });
  }

  private cancelRetry(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
  }

  private retryLater(): void {
    if (this.stopped) return;
    this.retryTimer = setTimeout(() => {
      this.retryTimer = undefined;
      this.work();
    }, this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
  }

  private async workOnce(): Promise<Error[]> {
    if (this.state === "unread") await this.readIndex();
    if (!this.options.mayWrite()) return [];
    const failures = [
      ...(await inParallel([...this.wanted], WIDTH, ([id, member]) => this.publish(id, member))),
      ...(await inParallel([...this.retired], WIDTH, ([id, entry]) => this.retire(id, entry))),
    ];
    const now = this.options.clock.now();
    if (failures.length === 0 && now.getTime() - this.auditedAt > AUDIT_EVERY_MS) {
      this.auditedAt = now.getTime();
      for (const failure of await this.audit(now).catch((error: Error) => [error])) {
        this.options.onFailure(failure);
      }
    }
    return failures;
  }

  private async readIndex(): Promise<void> {
    const text = await this.options.store.get(INDEX_KEY);
    if (text !== undefined) {
      this.learnAll(text);
      this.options.copy?.write(writeIndex(this.entries));
    }
    this.state = "ready";
    for (const id of this.wanted.keys()) if (this.entries.has(id)) this.wanted.delete(id);
    if (this.entries.size > 0) this.options.onKeys();
  }

  private learnAll(index: string): void {
    try {
      for (const [id, entry] of readIndex(index)) this.learn(id, entry);
    } catch (error) {
      this.options.log.error(
        { err: error },
        "the index of client configs cannot be read; reading each config",
      );
      this.options.onFailure(error as Error);
    }
  }

  private async publish(id: PeerId, member: Member): Promise<void> {
    const hub = this.options.hubs[member.plane];
    if (!hub) {
      this.wanted.delete(id);
      return;
    }
    const published = await publishConfig(this.options.store, member, hub);
    const { origin, publicKey, damage } = published;
    if (damage) this.nameDamage(member, damage);
    this.options.log.info({ peer: id, public_key: publicKey, origin }, "a client config is published");
    this.learn(id, published);
    this.wanted.delete(id);
    this.retired.delete(id);
    this.saveIndexSoon();
    this.announce();
  }

  private nameDamage(member: Member, damage: ConfigDamage): void {
    const found = { peer: peerId(member), object: configKey(member), damage };
    this.options.log.error(found, "a client config was damaged");
    this.options.onDamaged(damage);
  }

  /** A few keys are told at once, thousands now and then: each telling has everything compared again. */
  private announce(): void {
    if (this.wanted.size > WIDTH && performance.now() - this.announcedAt < ANNOUNCE_EVERY_MS) return;
    this.announcedAt = performance.now();
    this.options.onKeys();
  }

  private async retire(id: PeerId, { rowId }: IndexEntry): Promise<void> {
    await retireConfig(this.options.store, id, rowId);
    this.retired.delete(id);
    this.options.log.info({ peer: id }, "a client config went to the tombstones");
  }

  /**
   * Compare the store with the index: mend what can be mended, name what is lost, bury what no row has any more,
   * clear old tombstones.
   */
  private async audit(now: Date): Promise<Error[]> {
    const { store, hubs, log } = this.options;
    const sizes = new Map((await store.configs()).map(({ key, bytes }) => [key, bytes]));
    const entryOf = (member: Member) => this.entries.get(peerId(member));
    const suspects = suspectsAmong(this.members ?? [], entryOf, sizes, hubs);
    let lost = 0;
    const failures = await inParallel(suspects, WIDTH, async ({ member, hub, publicKey, isDamaged }) => {
      const mended = await repairConfig(store, member, publicKey, hub);
      const object = configKey(member);
      if (mended) {
        this.learn(peerId(member), mended);
        this.saveIndexSoon();
        if (isDamaged) this.nameDamage(member, "mended");
        else log.info({ peer: peerId(member), object }, "a client config was written anew with its own key");
      } else {
        lost++;
        log.error(
          { peer: peerId(member), object },
          "a client config is lost; its peer stays, rotate its key",
        );
      }
    });
    this.options.onLost(lost);
    failures.push(...(await this.retireOrphans([...sizes.keys()])));
    const cleared = await clearOldTombstones(store, now);
    if (cleared > 0) log.info({ cleared }, "old tombstones were deleted");
    return failures;
  }

  /** Many at once go only after three audits have agreed: the index may be lost, or the database a wrong one. */
  private async retireOrphans(keys: readonly string[]): Promise<Error[]> {
    if (!this.members) return [];
    const indexed = [...this.entries].map(([id, { rowId }]) => ({ plane: planeOf(id), rowId }));
    const orphans = orphansAmong(keys, [...this.members, ...indexed]);
    const allowed = this.vanishingOrphans.allowed(orphans.map(configKey), keys.length, true);
    const leaving = orphans.filter((orphan) => allowed.has(configKey(orphan)));
    return inParallel(leaving, WIDTH, async (orphan) => {
      await retireOrphan(this.options.store, orphan);
      this.options.log.info(
        { object: configKey(orphan) },
        "a client config of a row that is gone went to the tombstones",
      );
    });
  }

  private learn(id: PeerId, { rowId, publicKey, bytes, template }: IndexEntry): void {
    this.entries.set(id, { rowId, publicKey, bytes, template });
    this.owners.set(publicKey, id);
  }

  private saveIndexSoon(): void {
    this.indexChanged = true;
    if (this.stopped) return;
    this.indexTimer ??= setTimeout(() => {
      this.indexTimer = undefined;
      if (!this.options.mayWrite()) return;
      this.saveIndex().catch((error: Error) => {
        this.options.onFailure(error);
        this.saveIndexSoon();
      });
    }, INDEX_DELAY_MS);
  }

  private async saveIndex(): Promise<void> {
    this.indexChanged = false;
    const index = writeIndex(this.entries);
    try {
      this.options.copy?.write(index);
      await this.options.store.put(INDEX_KEY, index);
    } catch (error) {
      this.indexChanged = true;
      throw error;
    }
  }
}
