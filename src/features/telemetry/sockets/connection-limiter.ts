import { DomainError } from "../../../domain/errors";
import type { UserCaller } from "../../../http/route";
import type { Quotas } from "../../../platform/quotas/quotas";

const UNAUTHENTICATED = "unauthenticated";
/** Of all connections, for clients without a valid token together. */
const UNAUTHENTICATED_SHARE = 0.1;
type Owner = number | typeof UNAUTHENTICATED;

/**
 * Counts a process's connections by user. One request opens a connection, which need not even be joined or polled, so
 * no client may take all of them.
 */
export class ConnectionLimiter {
  private readonly counts = new Map<Owner, number>();
  private total = 0;

  constructor(
    /** Of the process. */
    private readonly maxSockets: number,
    private readonly quotas: Pick<Quotas, "checkAmount">,
    private readonly userOf: (token: string) => Pick<UserCaller, "id"> | undefined,
  ) {}

  /** Throws when a connection to this URL is one too many: `too_many_requests`, or `overloaded` for the process's own. */
  check(url: string): void {
    if (this.total >= this.maxSockets) throw new DomainError("overloaded", "Too many sockets.");
    const owner = this.ownerOf(url);
    const count = this.count(owner);
    if (owner !== UNAUTHENTICATED) this.quotas.checkAmount("sockets", count + 1);
    else if (count >= this.maxSockets * UNAUTHENTICATED_SHARE)
      throw new DomainError("overloaded", "Too many sockets of clients without a valid token.");
  }

  count(owner: Owner): number {
    return this.counts.get(owner) ?? 0;
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
    const count = this.count(owner) + change;
    if (count > 0) this.counts.set(owner, count);
    else this.counts.delete(owner);
  }
}
