import type { UserCaller } from "../../http/route";

export interface PlaceLimits {
  /** Clients that one process takes at once. */
  readonly maxSockets: number;
  /** Of one user, and of all together who have shown no valid token. */
  readonly maxSocketsPerUser: number;
}

/** Those who have shown no valid token. */
const UNKNOWN = "unknown";
type Holder = number | typeof UNKNOWN;

/**
 * Who holds how many of a process's sockets. It costs one request to open one, which need not even be joined or polled:
 * nobody may have them all.
 */
export class Places {
  private readonly held = new Map<Holder, number>();
  private all = 0;

  constructor(
    private readonly limits: PlaceLimits,
    private readonly userOf: (token: string) => Pick<UserCaller, "id"> | undefined,
  ) {}

  /** Why one who asks for this URL gets none; undefined when he does. */
  refusal(url: string): string | undefined {
    if (this.all >= this.limits.maxSockets) return "Too many sockets.";
    if ((this.held.get(this.holder(url)) ?? 0) >= this.limits.maxSocketsPerUser)
      return "Too many sockets of yours, or of callers without a valid token.";
    return undefined;
  }

  /** Returns how to give it back, once. */
  take(url: string): () => void {
    const holder = this.holder(url);
    this.count(holder, 1);
    return () => this.count(holder, -1);
  }

  private holder(url: string): Holder {
    const token = new URL(url, "http://any").searchParams.get("token");
    return (token && this.userOf(token)?.id) || UNKNOWN;
  }

  private count(holder: Holder, change: 1 | -1): void {
    this.all += change;
    const left = (this.held.get(holder) ?? 0) + change;
    if (left > 0) this.held.set(holder, left);
    else this.held.delete(holder);
  }
}
