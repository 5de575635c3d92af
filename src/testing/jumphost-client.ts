import WebSocket from "ws";
import type { TcpVehicle } from "./fakes/tcp-vehicle";
import { until } from "./until";
import type { TestJumphost } from "./worlds/jumphost";

/** How the jumphost refused an upgrade. */
export interface Refused {
  readonly status: number;
  readonly body: { error: string; reason: string };
}

export const headersFor = (to: Pick<TcpVehicle, "host" | "port">, fence?: number) => ({
  "x-drone-ip": to.host,
  "x-drone-port": String(to.port),
  ...(fence === undefined ? {} : { "x-link-fence": String(fence) }),
});

const frames = new WeakMap<WebSocket, Buffer[]>();
/** All that came through the pipe. */
export const receivedFrom = (socket: WebSocket) => Buffer.concat(frames.get(socket) ?? []);

/** An open pipe, or how it was refused. */
export function dial(
  { url }: Pick<TestJumphost, "url">,
  headers: Record<string, string | string[]>,
): Promise<WebSocket | Refused> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: headers as Record<string, string> });
    const came: Buffer[] = [];
    frames.set(socket, came);
    socket.on("message", (data: Buffer) => came.push(data));
    socket.on("open", () => resolve(socket));
    socket.on("error", reject);
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
  });
}

export async function openPipe(jumphost: TestJumphost, headers: Record<string, string>): Promise<WebSocket> {
  const socket = await dial(jumphost, headers);
  if (socket instanceof WebSocket) return socket;
  throw new Error(`Refused: ${JSON.stringify(socket)}`);
}

export const closeOf = (socket: WebSocket) =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on("close", (code, reason) => resolve({ code, reason: `${reason}` })),
  );

export const countIn = async (jumphost: TestJumphost, line: RegExp) =>
  Number(line.exec(await jumphost.metrics())?.[1] ?? Number.NaN);

/** Nothing is left of any pipe on either side. */
export const nothingLeft = (jumphost: TestJumphost, ...vehicles: TcpVehicle[]) =>
  until(() => jumphost.pipes.size === 0 && vehicles.every(({ sockets }) => sockets.size === 0));
