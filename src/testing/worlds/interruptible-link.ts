import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEndOfFile } from "../clean-up";

export interface InterruptibleLink {
  /** The same URL, through the link. */
  readonly url: string;
  /** How many are carried at this moment. */
  readonly connections: number;
  /** Break every connection and refuse new ones. */
  cut(): void;
  /** Carry nothing more while every connection stays open, as a link does whose far side lost its power. */
  stall(): void;
  /** Carry again, first the bytes that were held back during a stall. */
  mend(): void;
  /** Carry new connections; those of a stall stay silent for good, as after a failover to another machine. */
  replace(): void;
}

/** A TCP forwarder on loopback to a service (Postgres, Redis, SMTP), which a test can cut. */
export async function interruptibleLink(to: string): Promise<InterruptibleLink> {
  const { hostname, port } = new URL(to);
  const open = new Map<Socket, Socket>();
  let state: "whole" | "stalled" | "cut" = "whole";
  const server = createServer((near) => {
    if (state === "cut") return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.set(socket, other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      if (state === "whole") socket.pipe(other);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    state = "cut";
    for (const socket of open.keys()) socket.destroy();
  };
  atEndOfFile(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const near = new URL(to);
  near.hostname = "127.0.0.1";
  near.port = String((server.address() as AddressInfo).port);
  return {
    url: near.href,
    get connections() {
      return open.size / 2;
    },
    cut,
    stall: () => {
      state = "stalled";
      for (const socket of open.keys()) socket.unpipe().pause();
    },
    mend: () => {
      if (state === "stalled") for (const [socket, other] of open) socket.pipe(other);
      state = "whole";
    },
    replace: () => {
      state = "whole";
    },
  };
}
