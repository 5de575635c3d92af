/** As many peers, or rows, may go at once without a further look. */
export const REMOVABLE_AT_ONCE = 5;
const SHARE = 0.1;
const CONFIRMING_TICKS = 3;

/**
 * Keeps what vanishes with many others: when more than max(5, 10 %) vanish at once, each goes only after three ticks
 * have confirmed it. More at once than a person deletes is a wrong database, a bad restore or a lost table. Keep one of
 * these per group that vanishes together. The firewall has no such policy: it closes at once.
 */
export class VanishingPolicy<Key> {
  private readonly seen = new Map<Key, number>();

  /** Those of `vanishing` that may go now. Only a tick counts as another look. */
  allowed(vanishing: readonly Key[], of: number, isTick: boolean): Set<Key> {
    const before = new Map(this.seen);
    this.seen.clear();
    if (vanishing.length <= Math.max(REMOVABLE_AT_ONCE, of * SHARE)) return new Set(vanishing);
    for (const key of vanishing) this.seen.set(key, (before.get(key) ?? 0) + (isTick ? 1 : 0));
    return new Set(vanishing.filter((key) => (this.seen.get(key) ?? 0) >= CONFIRMING_TICKS));
  }
}
