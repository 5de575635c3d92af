export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** A pilot who watches sees a vehicle that is back within the most. */
export const DEFAULT_BACKOFF: Backoff = { firstMs: 500, mostMs: 10_000 };

/**
 * Milliseconds before the next attempt: doubling from the first to the most, and each somewhere between half
 * and the whole of it (`random` from 0 up to 1), so that a fleet does not come back in one wave.
 */
export function reconnectDelay(failedAttempts: number, { firstMs, mostMs }: Backoff, random: number): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(failedAttempts, 30));
  return Math.round(whole / 2 + (whole / 2) * random);
}
