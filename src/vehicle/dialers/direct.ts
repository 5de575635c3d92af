import { connect } from "node:net";
import { DomainError } from "../../domain/errors";
import { type ByteStream, CloseNotice, type Dial } from "../byte-stream";

/** All links are read into it, one after the other: each chunk is handed on before the next is read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** Dials a vehicle's TCP port without anything between. */
export const dialDirect: Dial = ({ host, port }, signal) =>
  new Promise<ByteStream>((resolve, reject) => {
    let onChunk: (chunk: Buffer) => void = () => {};
    const callback = (size: number) => {
      onChunk(READ_BUFFER.subarray(0, size));
      return true;
    };
    const socket = connect({
      ...{ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 },
      onread: { buffer: READ_BUFFER, callback },
    });
    // Nothing is read until there is a listener.
    socket.pause();
    const closed = new CloseNotice();
    let connected = false;
    let failure: Error | undefined;

    const abort = () => socket.destroy(new Error("gave up waiting"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });

    socket.on("error", (error) => {
      failure = error;
    });
    socket.on("close", () => {
      signal.removeEventListener("abort", abort);
      closed.give(failure ? `connection lost: ${failure.message}` : "the vehicle closed the connection");
      if (connected) return;
      reject(
        new DomainError("vehicle_unreachable", `Nothing answers at ${host}:${port}.`, { cause: failure }),
      );
    });
    socket.on("connect", () => {
      connected = true;
      signal.removeEventListener("abort", abort);
      resolve({
        write: (bytes) => {
          if (socket.destroyed) return false;
          socket.write(bytes);
          return true;
        },
        onData: (listener) => {
          onChunk = listener;
          socket.resume();
        },
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        onClose: (listener) => closed.on(listener),
        close: () => void socket.resetAndDestroy(),
      });
    });
  });
