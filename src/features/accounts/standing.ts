import type { Standing } from "./users.store";

/** Good for as long if nobody told that the row changed. */
const KNOWN_MS = 5_000;
/** Above so many, those that are known no longer are thrown away. */
const SWEEP_ABOVE = 1_000;

/** Whose a token is, since when, in seconds since the epoch, and on the word of which password. */
export interface Bearer {
  readonly id: number;
  readonly issuedAt: number;
  /** When that password was set, in milliseconds; tokens of earlier releases do not tell. */
  readonly passwordAt?: number | undefined;
}

/** Whether a token was issued on another password. One that does not tell goes by its time, in whole seconds. */
export const isFromBefore = (
  { issuedAt, passwordAt }: Omit<Bearer, "id">,
  { password_changed_at }: Pick<Standing, "password_changed_at">,
): boolean =>
  passwordAt === undefined
    ? (issuedAt + 1) * 1000 <= password_changed_at.getTime()
    : passwordAt !== password_changed_at.getTime();

/** Why a token of this user's is good for nothing any more, or undefined while it is good. */
export function whyVoid(bearer: Bearer, standing: Standing | undefined): string | undefined {
  if (!standing) return "This user does not exist any more.";
  if (!standing.is_active) return "This user may not sign in any more.";
  return isFromBefore(bearer, standing) ? "The password has changed; sign in again." : undefined;
}

/** Users' rows as tokens are judged by them, remembered for a moment: a user's requests come in bursts. */
export class Standings {
  private readonly known = new Map<
    number,
    { readonly until: number; readonly row: Promise<Standing | undefined> }
  >();

  constructor(
    /** The rows of those users who exist. */
    private readonly read: (ids: readonly number[]) => Promise<readonly Standing[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Rejects while the database cannot be asked. */
  async whyVoid(bearer: Bearer): Promise<string | undefined> {
    const remembered = await this.of(bearer.id);
    const isOlder = remembered && (bearer.passwordAt ?? 0) > remembered.password_changed_at.getTime();
    if (!isOlder) return whyVoid(bearer, remembered);
    // Whoever issued the token was told of the new password first.
    this.forget(bearer.id);
    return whyVoid(bearer, await this.of(bearer.id));
  }

  /** As they are now, by id; those who are not there do not exist. */
  async fresh(ids: readonly number[]): Promise<ReadonlyMap<number, Standing>> {
    return new Map((await this.read(ids)).map((standing) => [standing.id, standing]));
  }

  /** The row may have changed. */
  forget(id: number): void {
    this.known.delete(id);
  }

  private of(id: number): Promise<Standing | undefined> {
    const known = this.known.get(id);
    if (known && known.until > this.now()) return known.row;
    this.sweep();
    const row = this.read([id]).then(([standing]) => standing);
    this.known.set(id, { until: this.now() + KNOWN_MS, row });
    // A failure is nothing to remember.
    row.catch(() => this.known.get(id)?.row === row && this.known.delete(id));
    return row;
  }

  private sweep(): void {
    if (this.known.size < SWEEP_ABOVE) return;
    const now = this.now();
    for (const [id, { until }] of this.known) if (until <= now) this.known.delete(id);
  }
}
