import type { Server, Socket } from "node:net";
import type { LiveDrone, Stranger } from "./guests";
import type { DoorName } from "./metrics";

/** What a door does with those who come, and how it opens and closes. */
export interface Visit {
  readonly enter: (socket: Socket, drone: LiveDrone | Stranger) => void;
  /** May be tried again and again. Resolves with `http://host:port`; rejects with one line that names address and reason. */
  readonly open: (host: string) => Promise<string>;
  /** Takes nobody new, and resolves when nobody is inside; cuts those who would not leave by themselves. */
  readonly close: (sockets: ReadonlySet<Socket>) => Promise<void>;
}

/** shut → open. A port of the edge; it opens when its address is there, and stays open. */
export interface Door extends Pick<Visit, "open" | "close"> {
  readonly name: DoorName;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  /** `http://host:port` whatever is spoken there; undefined while it is shut. */
  url: string | undefined;
}
