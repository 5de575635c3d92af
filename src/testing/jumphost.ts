import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { WebSocketServer } from "ws";

/** One pipe that the jumphost opened. */
export interface JumphostPipe {
  readonly host: string;
  readonly port: number;
  readonly authorization: string | undefined;
  readonly fence: string | undefined;
  /** Breaks it, as a restarted jumphost would. */
  cut(): void;
}

export interface TestJumphost {
  readonly url: string;
  /** Those open now. */
  readonly pipes: ReadonlySet<JumphostPipe>;
  close(): Promise<void>;
}

/**
 * A small jumphost for tests: a real WebSocket server that opens real TCP to the address in the headers and
 * pipes binary frames. Unlike the tunnel's it lets anybody dial anything. A secret, if given, is demanded.
 */
export async function startJumphost({ secret }: { secret?: string } = {}): Promise<TestJumphost> {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    verifyClient: ({ req }: { req: { headers: Record<string, string | string[] | undefined> } }) =>
      secret === undefined || req.headers.authorization === `Bearer ${secret}`,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const pipes = new Set<JumphostPipe>();

  server.on("connection", (socket, { headers }) => {
    const host = String(headers["x-drone-ip"]);
    const port = Number(headers["x-drone-port"]);
    const vehicle = connect({ host, port, noDelay: true });
    const pipe: JumphostPipe = {
      host,
      port,
      authorization: headers.authorization,
      fence: headers["x-link-fence"] === undefined ? undefined : String(headers["x-link-fence"]),
      cut: () => socket.terminate(),
    };
    pipes.add(pipe);
    socket.on("message", (data: Buffer) => vehicle.write(data));
    vehicle.on("data", (data) => socket.send(data));
    vehicle.on("error", (error) => socket.close(1011, error.message));
    vehicle.on("close", () => socket.close(1011, "the vehicle closed the connection"));
    socket.on("error", () => vehicle.destroy());
    socket.on("close", () => {
      pipes.delete(pipe);
      vehicle.destroy();
    });
  });

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pipes,
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
