import type { Socket } from "node:net";
import { type Ipv4, unmapped } from "../../domain/ipv4";

/** A drone that has a tunnel now. Another key under the same address is another drone. */
export interface LiveDrone {
  readonly ip: Ipv4;
  readonly keyId: string;
}

/** By address; undefined until the database has been read. */
export type LiveDrones = () => ReadonlyMap<string, LiveDrone> | undefined;

export interface GuestsOptions {
  readonly live: LiveDrones;
  /** False while another's key may still speak from the address. */
  readonly isSettled: (ip: string) => boolean;
  readonly maxPerDrone: number;
}

/** `not_yet`: whether it is one cannot be told now, and can in a moment. */
export type Stranger = "no_drone" | "not_yet" | "too_many";

/** Who is connected to the edge: live drones only, each told by the address that its packets come from. */
export class Guests {
  private readonly sockets = new Map<Socket, LiveDrone>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly options: GuestsOptions) {}

  /** Lets the connection in until it closes, or says why not. Nothing is closed here. */
  admit(socket: Socket): LiveDrone | Stranger {
    const { live, isSettled, maxPerDrone } = this.options;
    const drones = live();
    if (!drones) return "not_yet";
    const drone = drones.get(addressOf(socket));
    if (!drone) return "no_drone";
    if (!isSettled(drone.ip)) return "not_yet";
    const count = this.counts.get(drone.ip) ?? 0;
    if (count >= maxPerDrone) return "too_many";
    this.counts.set(drone.ip, count + 1);
    this.sockets.set(socket, drone);
    socket.once("close", () => this.leave(socket, drone));
    return drone;
  }

  /** Whether the address is still that drone's. */
  isStill({ ip, keyId }: LiveDrone): boolean {
    return this.options.live()?.get(ip)?.keyId === keyId;
  }

  /** Cuts whoever is no longer live, or has another key than when it came. */
  recheck(): void {
    for (const [socket, drone] of this.sockets) if (!this.isStill(drone)) socket.destroy();
  }

  private leave(socket: Socket, { ip }: LiveDrone): void {
    this.sockets.delete(socket);
    const left = (this.counts.get(ip) ?? 1) - 1;
    if (left > 0) this.counts.set(ip, left);
    else this.counts.delete(ip);
  }
}

const addressOf = ({ remoteAddress = "" }: Socket): string => unmapped(remoteAddress);
