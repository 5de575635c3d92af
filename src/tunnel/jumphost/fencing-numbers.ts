import { PipeError } from "./pipe-error";

/** The right to one pipe, from its admission to its end. */
export interface Claim {
  /** Aborted when a later claim to the vehicle takes it away. */
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * Decides which callers may command a vehicle. The highest fencing number seen decides, also after its holder has
 * gone: a caller with a lower one has been replaced and may not know.
 *
 * - A higher number, or the same one again, ends all older claims: its holder is new, or has come back.
 * - A lower number is refused.
 * - No number: refused once there was a numbered claim. Claims without one do not disturb each other.
 */
export class FencingNumbers {
  private readonly highest = new Map<string, number>();
  private readonly claims = new Map<string, Set<AbortController>>();

  /** Throws a PipeError, `deposed`. */
  claim(vehicle: string, fence: number | undefined): Claim {
    const highest = this.highest.get(vehicle);
    if (highest !== undefined && (fence === undefined || fence < highest)) {
      throw new PipeError(
        "deposed",
        `A caller with the fencing number ${highest} has taken this vehicle over.`,
      );
    }
    if (fence !== undefined) {
      this.highest.set(vehicle, fence);
      const older = this.claims.get(vehicle) ?? [];
      this.claims.delete(vehicle);
      for (const claim of older) claim.abort();
    }
    const claims = this.claims.get(vehicle) ?? new Set();
    this.claims.set(vehicle, claims);
    const claim = new AbortController();
    claims.add(claim);
    const release = () => {
      claims.delete(claim);
      if (claims.size === 0 && this.claims.get(vehicle) === claims) this.claims.delete(vehicle);
    };
    return { signal: claim.signal, release };
  }

  /** Whether there was ever a numbered claim to the vehicle. */
  knows(vehicle: string): boolean {
    return this.highest.has(vehicle);
  }
}
