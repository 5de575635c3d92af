import type { Blocklist } from "./blocklist";
import { type Bearer, type Standings, whyVoid } from "./standing";

/** How often the tokens of what is open are looked up, for a change of which this process did not hear. */
const LOOK_MS = 15_000;
/** Tokens, or users, looked up at once. */
const LOOK_AT_ONCE = 500;

export const LOGGED_OUT = "The token was logged out; sign in again.";

/** What a token says of itself. */
export interface SignIn extends Bearer {
  readonly jti: string;
}

interface Open extends SignIn {
  /** Told why, for whoever had it open. */
  readonly end: (why: string) => void;
}

/**
 * What is open on the word of a token: ended when the token is logged out, when its user has a new password, may not
 * sign in any more or is gone; and not when it expires, because a pilot's picture and sticks must not break off in
 * mid-air.
 */
export class SignedIn {
  private readonly open = new Map<string, Set<Open>>();
  private readonly looking: NodeJS.Timeout;

  constructor(
    private readonly blocklist: Pick<Blocklist, "has" | "listed" | "onAdded">,
    private readonly standings: Standings,
  ) {
    blocklist.onAdded((jti) => this.endAll(this.open.get(jti), LOGGED_OUT));
    this.looking = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** `end` is called when the token is good for nothing any more. Returns the function that forgets it. */
  add(signIn: SignIn, end: Open["end"]): () => void {
    const { jti } = signIn;
    const opened: Open = { ...signIn, end };
    const same = this.open.get(jti) ?? new Set();
    this.open.set(jti, same.add(opened));
    return () => {
      same.delete(opened);
      if (same.size === 0 && this.open.get(jti) === same) this.open.delete(jti);
    };
  }

  /** Why nothing may be opened on this token any more. Rejects while that cannot be told. */
  async whyRefused(signIn: SignIn): Promise<string | undefined> {
    if (await this.blocklist.has(signIn.jti)) return LOGGED_OUT;
    return this.standings.whyVoid(signIn);
  }

  /** Something of this user's row changed. */
  userChanged(id: number): void {
    this.standings.forget(id);
    const theirs = this.all().filter((opened) => opened.id === id);
    // One that fails is made up for by the next look.
    if (theirs.length > 0) this.judge([id], theirs).catch(() => {});
  }

  /** Ends what should have ended meanwhile. What cannot be asked now is asked at the next look. */
  async look(): Promise<void> {
    await Promise.allSettled([this.lookForLogOuts(), this.lookAtUsers()]);
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private all(): Open[] {
    return [...this.open.values()].flatMap((same) => [...same]);
  }

  private endAll(opened: Iterable<Open> = [], why: string): void {
    for (const { end } of [...opened]) end(why);
  }

  private async lookForLogOuts(): Promise<void> {
    for (const some of batches([...this.open.keys()]))
      for (const jti of await this.blocklist.listed(some)) this.endAll(this.open.get(jti), LOGGED_OUT);
  }

  private async lookAtUsers(): Promise<void> {
    const opened = this.all();
    for (const some of batches([...new Set(opened.map(({ id }) => id))])) {
      const ids = new Set(some);
      await this.judge(
        some,
        opened.filter(({ id }) => ids.has(id)),
      );
    }
  }

  private async judge(ids: readonly number[], opened: readonly Open[]): Promise<void> {
    const standings = await this.standings.fresh(ids);
    for (const one of opened) {
      const why = whyVoid(one, standings.get(one.id));
      if (why) one.end(why);
    }
  }
}

function batches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / LOOK_AT_ONCE);
  return Array.from({ length: count }, (_, at) => all.slice(at * LOOK_AT_ONCE, (at + 1) * LOOK_AT_ONCE));
}
