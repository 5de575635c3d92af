import type { Socket } from "node:net";
import { type Ipv4, unmapIpv4 } from "../../domain/ipv4";

/** A drone that has a tunnel now. Another key under the same address is another drone. */
export interface LiveDrone {
  readonly ip: Ipv4;
  readonly keyId: string;
}

/** By address; undefined until the database has been read. */
export type LiveDrones = () => ReadonlyMap<string, LiveDrone> | undefined;

export interface AdmissionOptions {
  readonly live: LiveDrones;
  /** False while a former holder's key may still send from the address. */
  readonly isSettled: (ip: string) => boolean;
}

/** `not_ready`: the hub does not know yet whether the address is a drone's. */
export type AdmissionRefusal = "not_a_drone" | "not_ready" | "too_many_connections";

/** Admits connections of live drones, each recognised by the address that its packets come from. */
export class DroneAdmission {
  private readonly sockets = new Map<Socket, LiveDrone>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly options: AdmissionOptions) {}

  /** Admits one of a drone's so many connections to a service until it closes, or says why not. Closes nothing. */
  admit(socket: Socket, service: string, maxPerDrone: number): LiveDrone | AdmissionRefusal {
    const { live, isSettled } = this.options;
    const drones = live();
    if (!drones) return "not_ready";
    const drone = drones.get(unmapIpv4(socket.remoteAddress ?? ""));
    if (!drone) return "not_a_drone";
    const { ip } = drone;
    if (!isSettled(ip)) return "not_ready";
    const key = `${service} ${ip}`;
    const count = this.counts.get(key) ?? 0;
    if (count >= maxPerDrone) return "too_many_connections";
    this.counts.set(key, count + 1);
    this.sockets.set(socket, drone);
    socket.once("close", () => {
      this.sockets.delete(socket);
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    });
    return drone;
  }

  /** Whether the address is still that drone's. */
  isCurrent({ ip, keyId }: LiveDrone): boolean {
    return this.options.live()?.get(ip)?.keyId === keyId;
  }

  /** Cuts the connections of drones that are gone or have another key. */
  disconnectRevoked(): void {
    for (const [socket, drone] of this.sockets) if (!this.isCurrent(drone)) socket.destroy();
  }
}
