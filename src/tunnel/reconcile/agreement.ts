import type { DesiredPeer, LivePeer, Member } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import type { Keyring } from "../client-configs/keyring";
import { differing } from "./differing";

/** What has to be compared: everybody, or who came and who went. */
export interface Comparison {
  readonly members: readonly Member[];
  readonly live: ReadonlyMap<PublicKey, LivePeer>;
  readonly wishes: { readonly desired: DesiredPeer[]; readonly waiting: Member[] };
  /** The state of the keys that it goes by. */
  readonly keys: number;
}

interface Agreed extends Pick<Comparison, "members" | "keys"> {
  readonly peers: ReadonlyMap<PublicKey, LivePeer>;
  /** Each member has its peer, and nobody else has one. */
  readonly isWhole: boolean;
}

/**
 * What a plane's peers were last made to agree with. While neither keys nor peers are others than then, a change
 * costs as much as it changes, whatever the size of the fleet.
 */
export class Agreement {
  private agreed: Agreed | undefined;

  constructor(private readonly keyring: Pick<Keyring, "split" | "version">) {}

  /** Undefined when all is as it was. `afresh`: compare everybody all the same. */
  compare(
    members: readonly Member[],
    peers: ReadonlyMap<PublicKey, LivePeer>,
    afresh: boolean,
  ): Comparison | undefined {
    const keys = this.keyring.version;
    const isAsThen = !afresh && this.agreed?.keys === keys && this.agreed.peers === peers;
    const since = isAsThen ? this.agreed : undefined;
    if (since?.members === members) return undefined;
    const part = since?.isWhole ? this.partOf(since, members) : undefined;
    return { members, keys, ...(part ?? { live: peers, wishes: this.keyring.split(members) }) };
  }

  /** The peers are now as was planned, but for removals that are held back. */
  settle({ members, keys, wishes }: Comparison, peers: ReadonlyMap<PublicKey, LivePeer>, held: number): void {
    this.agreed = { members, keys, peers, isWhole: held === 0 && wishes.waiting.length === 0 };
  }

  /** Undefined when the key of somebody who went is forgotten: the peer may live, and everybody is compared. */
  private partOf(
    agreed: Agreed,
    members: readonly Member[],
  ): Pick<Comparison, "live" | "wishes"> | undefined {
    const { before, now } = differing(agreed.members, members);
    const { desired, waiting } = this.keyring.split(before);
    if (waiting.length > 0) return undefined;
    const live = new Map<PublicKey, LivePeer>();
    for (const { publicKey } of desired) {
      const peer = agreed.peers.get(publicKey);
      if (peer) live.set(publicKey, peer);
    }
    return { live, wishes: this.keyring.split(now) };
  }
}
