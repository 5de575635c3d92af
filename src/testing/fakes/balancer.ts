import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEndOfFile } from "../clean-up";

export interface Balancer {
  /** `http://` of the balancer itself. */
  readonly url: string;
  /** Sends the next connections to this URL; refuses them without one. */
  to(url: string | undefined): void;
  /** Break every connection that is open. */
  cut(): void;
}

/** A TCP load balancer for tests: each new connection goes to the current target. */
export async function startBalancer(first?: string): Promise<Balancer> {
  const open = new Set<Socket>();
  let target = first;
  const server = createServer((near) => {
    if (!target) return near.destroy();
    const { hostname, port } = new URL(target);
    const far = connect(Number(port), hostname);
    open.add(near);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.on("close", () => open.delete(near));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  atEndOfFile(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (url) => {
      target = url;
    },
    cut,
  };
}
