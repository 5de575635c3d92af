import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { atEndOfFile } from "../../clean-up";
import { freshFolder } from "../../fresh-servers";

export interface SocketLink {
  readonly path: string;
  url(port: number): string;
  cut(): void;
  mend(): void;
}

/** A unix socket, which every namespace sees, that leads to a server of this test's, and can be cut. */
export async function socketLink(to: string): Promise<SocketLink> {
  const path = join(freshFolder("link"), "socket");
  const open = new Set<Socket>();
  let whole = true;
  const server: Server = createServer((near) => {
    if (!whole) return near.destroy();
    const far = connect(Number(new URL(to).port), new URL(to).hostname);
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
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  atEndOfFile(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    path,
    url: (port) => {
      const url = new URL(to);
      url.hostname = "127.0.0.1";
      url.port = String(port);
      return url.href;
    },
    cut,
    mend: () => {
      whole = true;
    },
  };
}
