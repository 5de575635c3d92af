import type { IncomingMessage } from "node:http";
import { connect, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { json } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import WebSocket from "ws";
import { DomainError } from "../../domain/errors";
import { type ByteStream, CloseNotice, type Dial } from "../byte-stream";

export interface JumphostOptions {
  /** ws:// or wss:// */
  readonly url: string;
  /** Sent as `authorization: Bearer`. */
  readonly secret?: string;
}

/**
 * How long connecting to the jumphost itself may take, without its connection to the vehicle. A machine that is gone never
 * refuses a connection, while another may already serve in its place.
 */
const CONNECT_MS = 2_000;
/** More than any burst of frames, and little enough that a broken jumphost cannot fill the memory. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** Dials a vehicle through the jumphost, which opens TCP to the address in the headers and pipes bytes. */
export const dialThroughJumphost =
  ({ url, secret }: JumphostOptions): Dial =>
  ({ key, host, port, fence }, signal) =>
    new Promise<ByteStream>((resolve, reject) => {
      let line: Socket | undefined;
      const socket = new WebSocket(url, {
        createConnection: ((options: TcpNetConnectOpts) => {
          line = connect(options);
          return url.startsWith("wss:") ? encrypted(line, options) : line;
        }) as typeof connect,
        headers: {
          "x-drone-ip": host,
          "x-drone-port": String(port),
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
          ...(fence === undefined ? {} : { "x-link-fence": String(fence), "x-link-key": key }),
        },
        perMessageDeflate: false,
        maxPayload: MAX_MESSAGE_BYTES,
      });
      const closed = new CloseNotice();
      let opened = false;
      let failure: Error | undefined;
      let refusal = "";
      // The vehicle sends at once: its bytes are kept until there is a listener.
      const early: Buffer[] = [];
      let onChunk: (chunk: Buffer) => void = (chunk) => early.push(chunk);

      const giveUp = (why: string) => {
        failure ??= new Error(why);
        socket.terminate();
      };
      const abort = () => giveUp("gave up waiting");
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      const connectTimeout = setTimeout(
        () => line?.connecting && giveUp("the jumphost does not answer"),
        CONNECT_MS,
      );

      socket.on("error", (error) => {
        failure ??= error;
      });
      // The jumphost says in its answer why it opens no pipe.
      socket.on("unexpected-response", (_request, response) => {
        void readRefusal(response).then((words) => {
          failure ??= new Error(`The jumphost answered ${response.statusCode}.`);
          refusal = words;
          socket.terminate();
        });
      });
      socket.on("close", (code, said) => {
        clearTimeout(connectTimeout);
        signal.removeEventListener("abort", abort);
        const reason = said.toString() || failure?.message || `code ${code}`;
        closed.give(`the jumphost closed the connection: ${reason}`);
        if (opened) return;
        reject(
          new DomainError(
            "vehicle_unreachable",
            `The jumphost does not reach ${host}:${port}. ${refusal}`.trimEnd(),
            { cause: failure },
          ),
        );
      });
      socket.on("message", (data, isBinary) => {
        // As `nodebuffer`, the default of `binaryType`.
        if (isBinary) onChunk(data as Buffer);
      });
      socket.on("open", () => {
        opened = true;
        signal.removeEventListener("abort", abort);
        resolve({
          write: (bytes) => {
            if (socket.readyState !== WebSocket.OPEN) return false;
            socket.send(bytes);
            return true;
          },
          onData: (listener) => {
            for (const chunk of early.splice(0)) listener(chunk);
            onChunk = listener;
          },
          pause: () => socket.pause(),
          resume: () => socket.resume(),
          onClose: (listener) => closed.on(listener),
          close: () => {
            line?.resetAndDestroy();
            socket.terminate();
          },
        });
      });
    });

const encrypted = (socket: Socket, options: TcpNetConnectOpts): Socket => {
  const { host = "" } = options;
  return connectTls({ ...options, path: undefined, socket, servername: isIP(host) ? "" : host });
};

/** The words of `{error}`; empty when the answer is another. */
async function readRefusal(response: IncomingMessage): Promise<string> {
  try {
    const { error } = (await json(response)) as { error?: unknown };
    return typeof error === "string" ? error : "";
  } catch {
    return "";
  }
}
