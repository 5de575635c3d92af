import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import type { LivePeer } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { Clock } from "../../platform/process/clock";
import type { AllowState } from "../firewall/pairs";
import type { Fleet } from "../reconcile/fleet";
import type { PlanePeers } from "../reconcile/plane-peers";

const ALIVE_SECONDS = 180;

/** What the status API tells, from what was last looked at. Looking costs it nothing. */
export class StatusView {
  constructor(
    private readonly planes: Readonly<Record<PlaneName, Pick<PlanePeers, "live" | "isKnown">>>,
    private readonly state: { readonly allowState: AllowState; readonly currentFleet: Fleet | undefined },
    private readonly clock: Clock,
  ) {}

  /** A live peer by its address; undefined when there is none. Throws before that is known. */
  peer(plane: PlaneName, ip: Ipv4) {
    const peer = this.byIp(plane).get(ip);
    if (!peer) {
      if (this.planes[plane].isKnown) return undefined;
      throw new DomainError("unavailable", "The peers have not been compared with the database yet.");
    }
    return {
      ip,
      status: this.isAlive(peer),
      configured: true as const,
      latest_handshake: peer.latestHandshake,
    };
  }

  /** Throws before the rows have been read: pairs of an earlier daemon stand, and are not known to this one. */
  firewall(): AllowState {
    this.fleet();
    return this.state.allowState;
  }

  /** By drone id; an address that is no drone's peer has no entry. Throws before the rows have been read. */
  drones(ips: readonly Ipv4[]) {
    const live = this.byIp("drones");
    const ids = new Map(this.fleet().drones.map(({ ip, rowId }) => [ip, rowId]));
    return Object.fromEntries(
      ips.flatMap((ip) => {
        const peer = live.get(ip);
        const id = ids.get(ip);
        if (!peer || id === undefined) return [];
        const stats = {
          ip,
          received_bytes: peer.receivedBytes,
          sent_bytes: peer.sentBytes,
          latest_handshake: peer.latestHandshake,
          is_active: this.isAlive(peer),
        };
        return [[String(id), stats] as const];
      }),
    );
  }

  private fleet(): Fleet {
    const { currentFleet } = this.state;
    if (!currentFleet) throw new DomainError("unavailable", "The database has not been read yet.");
    return currentFleet;
  }

  /** Indexed once per look: `live` is another map after each. */
  private readonly indexed = new WeakMap<object, ReadonlyMap<string, LivePeer>>();

  private byIp(plane: PlaneName): ReadonlyMap<string, LivePeer> {
    const { live } = this.planes[plane];
    const known = this.indexed.get(live);
    if (known) return known;
    const index = new Map(
      [...live.values()].flatMap((peer) => peer.allowedIps.map((cidr) => [cidr.replace(/\/32$/, ""), peer])),
    );
    this.indexed.set(live, index);
    return index;
  }

  private isAlive({ latestHandshake }: LivePeer): boolean {
    return this.clock.now().getTime() / 1000 - latestHandshake <= ALIVE_SECONDS;
  }
}
