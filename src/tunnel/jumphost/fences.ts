import { Refusal } from "./refusal";

/** The right to one pipe, from its admission to its end. */
export interface Claim {
  /** Aborted when a later claim to the vehicle takes it away. */
  readonly signal: AbortSignal;
  release(): void;
}

interface Held extends Claim {
  readonly revoke: () => void;
}

/**
 * Who may speak to a vehicle. The highest number seen decides, also when its holder has gone: whoever was given a
 * lower one has been replaced, and may not know.
 *
 * - A higher number, or the same one again, takes all older claims away: its holder is new, or has come back.
 * - A lower number is refused.
 * - No number: refused once there was a numbered claim. Claims without one do not disturb each other.
 */
export class Fences {
  private readonly highest = new Map<string, number>();
  private readonly held = new Map<string, Set<Held>>();

  /** Throws a Refusal, `deposed`. */
  claim(vehicle: string, fence: number | undefined): Claim {
    const highest = this.highest.get(vehicle);
    if (highest !== undefined && (fence === undefined || fence < highest)) {
      throw new Refusal(
        "deposed",
        `A caller with the fencing number ${highest} has taken this vehicle over.`,
      );
    }
    if (fence !== undefined) {
      this.highest.set(vehicle, fence);
      for (const older of [...(this.held.get(vehicle) ?? [])]) older.revoke();
    }
    return this.hold(vehicle);
  }

  /** Whether there was ever a numbered claim to the vehicle. */
  knows(vehicle: string): boolean {
    return this.highest.has(vehicle);
  }

  /** Claims to the vehicle that are alive. */
  count(vehicle: string): number {
    return this.held.get(vehicle)?.size ?? 0;
  }

  private hold(vehicle: string): Claim {
    const claims = this.held.get(vehicle) ?? new Set<Held>();
    this.held.set(vehicle, claims);
    const revoked = new AbortController();
    const release = () => {
      claims.delete(claim);
      if (claims.size === 0 && this.held.get(vehicle) === claims) this.held.delete(vehicle);
    };
    const revoke = () => {
      release();
      revoked.abort();
    };
    const claim: Held = { signal: revoked.signal, release, revoke };
    claims.add(claim);
    return claim;
  }
}
