import type { Blocklist } from "./blocklist";

/** How often the tokens of what is open are looked up, for a log-out of which this process did not hear. */
const LOOK_MS = 15_000;
/** Tokens looked up at once. */
const LOOK_AT_ONCE = 500;

/**
 * What is open on the word of a token: ended when the token is logged out, and not when it expires, because a
 * pilot's picture and sticks must not break off in mid-air.
 */
export class SignedIn {
  private readonly ends = new Map<string, Set<() => void>>();
  private readonly looking: NodeJS.Timeout;

  constructor(private readonly blocklist: Pick<Blocklist, "listed" | "onAdded">) {
    blocklist.onAdded((jti) => this.end(jti));
    this.looking = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** `end` is called when the token is logged out. Returns the function that forgets it. */
  add(jti: string, end: () => void): () => void {
    const same = this.ends.get(jti) ?? new Set();
    this.ends.set(jti, same.add(end));
    return () => {
      same.delete(end);
      if (same.size === 0 && this.ends.get(jti) === same) this.ends.delete(jti);
    };
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private end(jti: string): void {
    for (const end of [...(this.ends.get(jti) ?? [])]) end();
  }

  private async look(): Promise<void> {
    const tokens = [...this.ends.keys()];
    try {
      for (let at = 0; at < tokens.length; at += LOOK_AT_ONCE) {
        const some = tokens.slice(at, at + LOOK_AT_ONCE);
        for (const jti of await this.blocklist.listed(some)) this.end(jti);
      }
    } catch {
      // The blocklist cannot be asked; the next look may.
    }
  }
}
