import type { Server, Socket } from "node:net";
import { openPort } from "../../platform/open-port";
import type { LiveDrone, Stranger } from "./guests";
import type { DoorName } from "./metrics";

/** shut → open. A port of the edge; it opens when its address is there, and stays open. */
export interface Door {
  readonly name: DoorName;
  readonly server: Server;
  readonly port: number;
  readonly sockets: Set<Socket>;
  /** Cuts the connections that would not end by themselves. */
  readonly finish: () => void;
  /** `http://host:port` whatever is spoken there; undefined while it is shut. */
  url: string | undefined;
}

/** What a door does with those who come. */
export interface Visit {
  readonly enter: (socket: Socket, drone: LiveDrone | Stranger) => void;
  readonly finish: (sockets: ReadonlySet<Socket>) => void;
}

/** May be tried again and again. Rejects with one line that names address and reason. */
export async function openDoor(door: Door, host: string): Promise<string> {
  door.url = `http://${await openPort(door.server, door.port, host)}`;
  return door.url;
}
