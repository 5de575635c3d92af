import type { UserCaller } from "../../../http/route";

export interface ConnectionLimits {
  /** Connections of one process. */
  readonly maxSockets: number;
  /** Connections of one user, and of all clients without a valid token together. */
  readonly maxSocketsPerUser: number;
}

const UNAUTHENTICATED = "unauthenticated";
type Owner = number | typeof UNAUTHENTICATED;

/**
 * Counts a process's connections by user. One request opens a connection, which need not even be joined or polled, so
 * no client may take all of them.
 */
export class ConnectionLimiter {
  private readonly counts = new Map<Owner, number>();
  private total = 0;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly userOf: (token: string) => Pick<UserCaller, "id"> | undefined,
  ) {}

  /** Why a connection to this URL is refused; undefined when it is allowed. */
  refusal(url: string): string | undefined {
    if (this.total >= this.limits.maxSockets) return "Too many sockets.";
    if ((this.counts.get(this.ownerOf(url)) ?? 0) >= this.limits.maxSocketsPerUser)
      return "Too many sockets of yours, or of clients without a valid token.";
    return undefined;
  }

  /** Counts a connection. Returns the function that releases it, to be called once. */
  acquire(url: string): () => void {
    const owner = this.ownerOf(url);
    this.add(owner, 1);
    return () => this.add(owner, -1);
  }

  private ownerOf(url: string): Owner {
    const token = new URL(url, "http://any").searchParams.get("token");
    return (token && this.userOf(token)?.id) || UNAUTHENTICATED;
  }

  private add(owner: Owner, change: 1 | -1): void {
    this.total += change;
    const count = (this.counts.get(owner) ?? 0) + change;
    if (count > 0) this.counts.set(owner, count);
    else this.counts.delete(owner);
  }
}
