/**
 * Runs inside a network namespace and opens sockets there for a test: one JSON command a line on standard
 * input, one JSON reply a line on standard output. It stands alone: no module of ours is imported.
 */
import { createSocket } from "node:dgram";
import { type AddressInfo, connect, createServer } from "node:net";
import { createInterface } from "node:readline";

export type Protocol = "tcp" | "udp";

export interface Target {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
}

export type Command =
  | { readonly op: "echo"; readonly protocol: Protocol; readonly port: number }
  | ({ readonly op: "probe"; readonly limitMs: number; readonly sourcePort?: number } & Target)
  | ({ readonly op: "stream"; readonly name: string; readonly everyMs: number } & Target)
  | { readonly op: "report"; readonly name: string }
  | { readonly op: "heard"; readonly port: number }
  | { readonly op: "forward"; readonly path: string; readonly port: number | undefined }
  | { readonly op: "http"; readonly url: string };

/** The state of a stream of numbered packets. Times are milliseconds since the epoch. */
export interface StreamReport {
  readonly sent: number;
  readonly echoed: number;
  readonly worstMs: number;
  readonly lastEchoAt: number;
  /** When the first echo came after the last silence of more than 100 ms; 0 when there was none. */
  readonly resumedAt: number;
}

const streams = new Map<string, () => StreamReport>();
/** Packets that came to each UDP echo port. */
const received = new Map<number, number>();

function echo(protocol: Protocol, port: number): Promise<true> {
  return new Promise((resolve, reject) => {
    if (protocol === "udp") {
      const socket = createSocket("udp4");
      socket.on("message", (bytes, from) => {
        received.set(port, (received.get(port) ?? 0) + 1);
        socket.send(bytes, from.port, from.address);
      });
      socket.once("error", reject);
      socket.bind(port, () => resolve(true));
      return;
    }
    const server = createServer((socket) => {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.pipe(socket);
    });
    server.once("error", reject);
    server.listen(port, "0.0.0.0", () => resolve(true));
  });
}

/** Resolves with whether a byte came back. */
function probe({ protocol, host, port }: Target, limitMs: number, sourcePort?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (echoed: boolean, close: () => void) => {
      clearTimeout(limit);
      close();
      resolve(echoed);
    };
    let limit: NodeJS.Timeout;
    if (protocol === "udp") {
      const socket = createSocket("udp4");
      const close = () => socket.close();
      limit = setTimeout(() => done(false, close), limitMs);
      // A refusal is rate-limited and a first packet may be lost to a handshake: ask again until the limit.
      const again = setInterval(() => socket.send("x", port, host), 150);
      socket.on("error", () => {});
      socket.on("message", () => done(true, close));
      socket.on("close", () => clearInterval(again));
      socket.bind(sourcePort ?? 0, () => socket.send("x", port, host));
      return;
    }
    const socket = connect({ host, port, ...(sourcePort ? { localPort: sourcePort } : {}) });
    const close = () => socket.destroy();
    limit = setTimeout(() => done(false, close), limitMs);
    socket.on("connect", () => socket.write("x"));
    socket.on("data", () => done(true, close));
    socket.on("error", () => done(false, close));
  });
}

/** Sends numbered packets without waiting for their echoes, which are matched by number. */
function stream({ protocol, host, port }: Target, name: string, everyMs: number): Promise<true> {
  let sent = 0;
  let echoed = 0;
  let worstMs = 0;
  let lastEchoAt = 0;
  let resumedAt = 0;
  const sentAt = new Map<number, number>();
  const matched = (number: number) => {
    const at = sentAt.get(number);
    if (at === undefined) return;
    sentAt.delete(number);
    echoed++;
    const now = Date.now();
    if (now - lastEchoAt > 100) resumedAt = now;
    lastEchoAt = now;
    worstMs = Math.max(worstMs, performance.now() - at);
  };
  streams.set(name, () => ({ sent, echoed, worstMs, lastEchoAt, resumedAt }));
  const numbered = (write: (bytes: Buffer) => void) =>
    setInterval(() => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(++sent);
      sentAt.set(sent, performance.now());
      write(bytes);
    }, everyMs);
  if (protocol === "udp") {
    const socket = createSocket("udp4");
    socket.on("error", () => {});
    socket.on("message", (bytes) => matched(bytes.readUInt32BE()));
    numbered((bytes) => socket.send(bytes, port, host));
    return Promise.resolve(true);
  }
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    let rest = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (; rest.length >= 4; rest = rest.subarray(4)) matched(rest.readUInt32BE());
    });
    socket.once("error", reject);
    socket.once("connect", () => {
      const timer = numbered((bytes) => socket.write(bytes));
      socket.on("close", () => clearInterval(timer));
      resolve(true);
    });
  });
}

/** A free port of this namespace's loopback, or this one of every address, that leads to a unix socket. */
function forward(path: string, port?: number): Promise<number> {
  const server = createServer((near) => {
    const far = connect(path);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const at = port ? { port, host: "0.0.0.0" } : { port: 0, host: "127.0.0.1" };
    server.listen(at, () => resolve((server.address() as AddressInfo).port));
  });
}

function carryOut(command: Command): unknown {
  switch (command.op) {
    case "echo":
      return echo(command.protocol, command.port);
    case "probe":
      return probe(command, command.limitMs, command.sourcePort);
    case "stream":
      return stream(command, command.name, command.everyMs);
    case "report":
      return streams.get(command.name)?.();
    case "heard":
      return received.get(command.port) ?? 0;
    case "forward":
      return forward(command.path, command.port);
    case "http":
      return fetch(command.url).then((response) => response.text());
  }
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const { id, ...command } = JSON.parse(line) as Command & { id: number };
    const reply = await Promise.resolve(carryOut(command as Command)).then(
      (value) => ({ id, value }),
      (error: Error) => ({ id, error: error.message }),
    );
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  })
  .on("close", () => process.exit(0));
