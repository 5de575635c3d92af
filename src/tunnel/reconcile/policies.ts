import type { PeerPlan, Removal } from "./peers.plan";

/** So many may go at any time. */
export const FEW = 5;
const SHARE = 0.1;
const AGREEING_TICKS = 3;

/** More at once than a person deletes: a wrong database, a bad restore, a lost table. */
export const isMany = (count: number, of: number): boolean => count > Math.max(FEW, of * SHARE);

/**
 * keepPeersWhenManyVanish: when more than max(5, 10 %) vanish at once, each goes only after three ticks have
 * agreed on it. Keep one of these per group that vanishes together. The firewall asks nobody: it closes at once.
 */
export class VanishingPolicy<Key> {
  private readonly seen = new Map<Key, number>();

  /** Of those that vanish, whoever may go now. Only a tick counts as another look. */
  allowed(vanishing: readonly Key[], of: number, isTick: boolean): Set<Key> {
    if (!isMany(vanishing.length, of)) {
      this.seen.clear();
      return new Set(vanishing);
    }
    const before = new Map(this.seen);
    this.seen.clear();
    for (const key of vanishing) this.seen.set(key, (before.get(key) ?? 0) + (isTick ? 1 : 0));
    return new Set(vanishing.filter((key) => (this.seen.get(key) ?? 0) >= AGREEING_TICKS));
  }
}

/** The plan without the removals that the policy holds back, and how many those are. */
export function keepPeersWhenManyVanish(
  plan: PeerPlan,
  live: number,
  isTick: boolean,
  policy: VanishingPolicy<string>,
): { plan: PeerPlan; held: number } {
  const vanishing = plan.remove.filter(({ why }) => why === "vanished").map(({ publicKey }) => publicKey);
  const allowed = policy.allowed(vanishing, live, isTick);
  const stays = ({ why, publicKey }: Removal) => why === "vanished" && !allowed.has(publicKey);
  return {
    plan: { ...plan, remove: plan.remove.filter((removal) => !stays(removal)) },
    held: plan.remove.filter(stays).length,
  };
}
