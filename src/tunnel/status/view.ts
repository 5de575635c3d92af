import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import type { LivePeer } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { Clock } from "../../platform/process/clock";
import type { AllowState } from "../firewall/pairs";
import type { Fleet } from "../reconcile/fleet";
import type { PlanePeers } from "../reconcile/plane-peers";

const ALIVE_SECONDS = 180;

/** The status API's replies, from the last poll of the interfaces and the last read of the rows. */
export class StatusView {
  constructor(
    private readonly planes: Readonly<Record<PlaneName, Pick<PlanePeers, "live" | "isKnown">>>,
    private readonly state: { readonly allowState: AllowState; readonly currentFleet: Fleet | undefined },
    private readonly clock: Clock,
  ) {}

  /** A live peer by its address; undefined when there is none. Throws before the peers are known. */
  peer(plane: PlaneName, ip: Ipv4) {
    const peer = [...this.planes[plane].live.values()].find(({ allowedIps }) =>
      allowedIps.includes(`${ip}/32`),
    );
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

  /** Throws before the rows have been read: pairs that an earlier daemon set are not known yet. */
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

  private byIp(plane: PlaneName): ReadonlyMap<string, LivePeer> {
    return new Map(
      [...this.planes[plane].live.values()].flatMap((peer) =>
        peer.allowedIps.map((cidr) => [cidr.replace(/\/32$/, ""), peer]),
      ),
    );
  }

  private isAlive({ latestHandshake }: LivePeer): boolean {
    return this.clock.now().getTime() / 1000 - latestHandshake <= ALIVE_SECONDS;
  }
}
