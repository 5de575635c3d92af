import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEndOfFile } from "./clean-up";

export interface Cuttable {
  /** The same URL, through the cable. */
  readonly url: string;
  /** Break every connection and refuse new ones. */
  cut(): void;
  mend(): void;
}

/** A cable to a neighbour (Postgres, Redis, SMTP) that a test can cut: a plain TCP forwarder on loopback. */
export async function cuttable(to: string): Promise<Cuttable> {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
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
    cut,
    mend: () => {
      whole = true;
    },
  };
}
