import { configKey } from "../../domain/client-config";
import type { Member, PeerId } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import { backoffMs } from "../../platform/retry";
import { VanishingPolicy } from "../reconcile/policies";
import { type LiveKeys, planeOf, repairConfigs, retireUnowned } from "./audit";
import { inParallel } from "./in-parallel";
import { type IndexEntry, type LocalIndexCopy, parseIndex, printIndex } from "./peer-index";
import { type ConfigDamage, clearOldTombstones, publishConfig } from "./publish";
import { type ConfigStore, INDEX_KEY } from "./store";
import type { HubForClients } from "./text";

export interface KeyringOptions {
  readonly store: ConfigStore;
  /** The index as the daemon before knew it. */
  readonly copy?: Pick<LocalIndexCopy, "read" | "write"> | undefined;
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
  /** Whether this hub may write to the store; a standby learns from the index what the active hub writes. */
  readonly mayWrite: () => boolean;
}

const WIDTH = 32;
/** Each save writes thousands of entries; a config that is not in the index yet is read. */
const INDEX_DELAY_MS = 2_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;
const ANNOUNCE_EVERY_MS = 1_000;
const AUDIT_EVERY_MS = 5 * 60_000;
/** A rebuild at the start has the processor to itself. */
const AUDIT_DELAY_MS = 5_000;

/**
 * Knows each member's public key, and keeps the client configs in the object store. It works beside the reconciler,
 * which never waits for the store: `onKeys` is called when keys of waiting members become known.
 *
 * unread → ready. Until the index has been read only the keys of the node's own copy are known, and nothing is
 * published or retired.
 */
export class Keyring {
  private readonly entries = new Map<PeerId, IndexEntry>();
  private state: "unread" | "ready" = "unread";
  private wanted = new Map<PeerId, Member>();
  private working: Promise<void> | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private failedAttempts = 0;
  private indexTimer: NodeJS.Timeout | undefined;
  private indexChanged = false;
  /** The write of the index that is under way. */
  private saving: Promise<void> | undefined;
  private auditedAt: number;
  /** Configs without a member at the last tick. */
  private gone: readonly string[] = [];
  private announcedAt = 0;
  /** Undefined until the rows have been read once. */
  private members: readonly Member[] | undefined;
  private live: LiveKeys = new Set();
  private stopped = false;
  /** Audits list other configs than ticks do. */
  private readonly vanishing = {
    audits: new VanishingPolicy<string>(),
    ticks: new VanishingPolicy<string>(),
  };

  constructor(private readonly options: KeyringOptions) {
    this.auditedAt =
      options.clock.now().getTime() - AUDIT_EVERY_MS + (options.auditDelayMs ?? AUDIT_DELAY_MS);
  }

  /** The public keys that are known; a member without one has to wait for it. */
  get keys(): ReadonlyMap<PeerId, { readonly publicKey: PublicKey }> {
    return this.entries;
  }

  /** Read the index before the first `setMembers`: a rebuild waits for it. */
  start(): void {
    const copy = this.options.copy?.read();
    if (copy !== undefined) this.learnAll(copy);
    this.work();
  }

  /**
   * Take the members that should have a config now, and the keys that still live. Missing configs are published at
   * once. At ticks, configs that belong to no member and no live key are retired.
   */
  setMembers(members: readonly Member[], live: LiveKeys, isTick: boolean): void {
    this.members = members;
    this.live = live;
    const before = this.wanted;
    this.wanted = new Map();
    for (const member of members) if (!this.entries.has(member.id)) this.wanted.set(member.id, member);
    if (!this.options.mayWrite()) {
      // To be read again, also when this hub begins to write.
      this.state = "unread";
      if (isTick) this.work();
      return;
    }
    // A new member does not wait for the next attempt of those that failed.
    if ([...this.wanted.keys()].some((id) => !before.has(id))) this.cancelRetry();
    if (isTick) this.gone = this.goneKeys(members);
    const isDue = this.gone.length > 0 || (isTick && this.isAuditDue());
    if (this.wanted.size > 0 || this.state === "unread" || isDue) this.work();
  }

  /** The configs of peers that are in the index and no members any more. */
  private goneKeys(members: readonly Member[]): string[] {
    const ids = new Set(members.map(({ id }) => id));
    const gone = [...this.entries].filter(([id]) => !ids.has(id));
    return gone.map(([id, { rowId }]) => configKey({ plane: planeOf(id), rowId }));
  }

  /** Finish what is under way and write the index. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelRetry();
    clearTimeout(this.indexTimer);
    await this.working;
    await this.saving;
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
        else {
          this.failedAttempts = 0;
          if (this.options.mayWrite() && this.wanted.size > 0) this.work();
        }
      });
  }

  private cancelRetry(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
  }

  private retryLater(): void {
    if (this.stopped) return;
    const pauseMs = backoffMs(++this.failedAttempts, RETRY_MS, RETRY_MAX_MS);
    this.retryTimer = setTimeout(() => {
      this.retryTimer = undefined;
      this.work();
    }, pauseMs);
  }

  private async workOnce(): Promise<Error[]> {
    if (this.state === "unread") await this.readIndex();
    if (!this.options.mayWrite()) return [];
    const failures = await inParallel([...this.wanted], WIDTH, ([id, member]) => this.publish(id, member));
    if (failures.length > 0) return failures;
    if (!this.isAuditDue()) return this.retireGone();
    const now = this.options.clock.now();
    this.auditedAt = now.getTime();
    // The next audit is the retry.
    for (const failure of await this.audit(now).catch((error: Error) => [error])) {
      this.options.onFailure(failure);
    }
    return [];
  }

  private isAuditDue(): boolean {
    return this.options.clock.now().getTime() - this.auditedAt > AUDIT_EVERY_MS;
  }

  private async readIndex(): Promise<void> {
    const text = await this.options.store.get(INDEX_KEY);
    if (text !== undefined) {
      this.learnAll(text);
      this.options.copy?.write(printIndex(this.entries));
    }
    this.state = "ready";
    for (const id of this.wanted.keys()) if (this.entries.has(id)) this.wanted.delete(id);
    if (this.entries.size > 0) this.options.onKeys();
  }

  private learnAll(index: string): void {
    try {
      for (const [id, entry] of parseIndex(index)) this.learn(id, entry);
    } catch (error) {
      this.options.log.error({ err: error }, "Cannot read the index of client configs; reading each config");
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
    if (damage) this.reportDamage(member, damage);
    this.options.log.info({ peer: id, public_key: publicKey, origin }, "Published a client config");
    this.learn(id, published);
    this.wanted.delete(id);
    this.saveIndexSoon();
    this.announce();
  }

  private reportDamage(member: Member, damage: ConfigDamage): void {
    const found = { peer: member.id, object: configKey(member), damage };
    this.options.log.error(found, "A client config was damaged");
    this.options.onDamaged(damage);
  }

  /** A few keys are announced at once, thousands once a second: after each call everything is compared again. */
  private announce(): void {
    if (this.wanted.size > WIDTH && performance.now() - this.announcedAt < ANNOUNCE_EVERY_MS) return;
    this.announcedAt = performance.now();
    this.options.onKeys();
  }

  /** Compare the store with index and members: repair configs, retire those of nobody, delete old tombstones. */
  private async audit(now: Date): Promise<Error[]> {
    const { store, hubs, log, onLost } = this.options;
    if (!this.members) return [];
    const sizes = new Map((await store.configs()).map(({ key, bytes }) => [key, bytes]));
    const { failures, lost } = await repairConfigs(
      {
        store,
        hubs,
        log,
        onRepaired: (id, entry) => {
          this.learn(id, entry);
          this.saveIndexSoon();
        },
        onDamaged: (member) => this.reportDamage(member, "repaired"),
      },
      this.members,
      this.entries,
      sizes,
    );
    onLost(lost);
    failures.push(...(await this.retireUnowned(this.members, [...sizes.keys()], this.vanishing.audits)));
    const cleared = await clearOldTombstones(store, now);
    if (cleared > 0) log.info({ cleared }, "Deleted old tombstones of client configs");
    return failures;
  }

  /** Without the store's list: of a large fleet it takes a third of a second to read. */
  private async retireGone(): Promise<Error[]> {
    const { gone } = this;
    if (gone.length === 0 || !this.members) return [];
    this.gone = [];
    return this.retireUnowned(this.members, gone, this.vanishing.ticks);
  }

  private async retireUnowned(
    members: readonly Member[],
    keys: readonly string[],
    vanishing: VanishingPolicy<string>,
  ): Promise<Error[]> {
    const deps = { ...this.options, vanishing };
    const { failures, retired, kept } = await retireUnowned(deps, keys, members, this.entries, this.live);
    const current = new Map(this.members?.map((member) => [member.id, member]));
    // A member until a moment ago has its config still: the next tick retires it.
    const before = new Set(members.map(({ id }) => id));
    for (const [id, { rowId, publicKey }] of this.entries) {
      const key = configKey({ plane: planeOf(id), rowId });
      const member = current.get(id);
      const isStale = !member && !before.has(id) && !this.live.has(publicKey) && !kept.has(key);
      if (!retired.has(key) && !isStale) continue;
      this.entries.delete(id);
      this.saveIndexSoon();
      // Its row came back meanwhile.
      if (member) this.wanted.set(id, member);
    }
    return failures;
  }

  private learn(id: PeerId, { rowId, publicKey, bytes, template }: IndexEntry): void {
    this.entries.set(id, { rowId, publicKey, bytes, template });
  }

  private saveIndexSoon(): void {
    this.indexChanged = true;
    if (this.stopped) return;
    this.indexTimer ??= setTimeout(() => {
      this.indexTimer = undefined;
      if (!this.options.mayWrite()) return;
      this.saving = this.saveIndex().catch((error: Error) => {
        this.options.onFailure(error);
        this.saveIndexSoon();
      });
    }, INDEX_DELAY_MS);
  }

  private async saveIndex(): Promise<void> {
    this.indexChanged = false;
    const index = printIndex(this.entries);
    try {
      this.options.copy?.write(index);
      await this.options.store.put(INDEX_KEY, index);
    } catch (error) {
      this.indexChanged = true;
      throw error;
    }
  }
}
