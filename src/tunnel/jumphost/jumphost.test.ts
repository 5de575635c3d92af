import { spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import WebSocket from "ws";
import { atEndOfFile } from "../../testing";
import { rawClient } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import type { JumphostOptions } from "./jumphost";

/** Loopback addresses stand in for drones: each is a vehicle of its own. */
interface Vehicle {
  readonly host: string;
  readonly port: number;
  readonly sockets: Set<Socket>;
  /** Every byte that came, of all connections, in order. */
  received(): string;
}

async function vehicle(host: string, onSocket: (socket: Socket) => void = () => {}): Promise<Vehicle> {
  const sockets = new Set<Socket>();
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onSocket(socket);
    if (!socket.isPaused()) socket.on("data", (chunk) => chunks.push(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  atEndOfFile(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { host, port, sockets, received: () => Buffer.concat(chunks).toString() };
}

/** A process that was stopped after it began to listen, and whose queue of connections is full. */
async function deafVehicle(host: string): Promise<Pick<Vehicle, "host" | "port">> {
  const program = `require("net").createServer().listen({port: 0, host: "${host}", backlog: 1}, function () {
    console.log(this.address().port);
  })`;
  const child = spawn(process.execPath, ["-e", program]);
  atEndOfFile(async () => void child.kill("SIGKILL"));
  const port = Number(await new Promise((resolve) => child.stdout.once("data", resolve)));
  child.kill("SIGSTOP");
  for (let at = 0; at < 4; at++) {
    const filler = connect(port, host);
    filler.on("error", () => {});
    atEndOfFile(async () => void filler.destroy());
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { host, port };
}

let hosts = 1;
const nextHost = () => `127.0.7.${hosts++}`;

interface Refused {
  readonly status: number;
  readonly body: { error: string; reason: string };
}

const headersFor = (to: Pick<Vehicle, "host" | "port">, fence?: number) => ({
  "x-drone-ip": to.host,
  "x-drone-port": String(to.port),
  ...(fence === undefined ? {} : { "x-link-fence": String(fence) }),
});

const frames = new WeakMap<WebSocket, Buffer[]>();
/** All that came through the pipe. */
const heard = (socket: WebSocket) => Buffer.concat(frames.get(socket) ?? []);

/** An open pipe, or how it was refused. */
function dial(
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

async function open(jumphost: TestJumphost, headers: Record<string, string>): Promise<WebSocket> {
  const socket = await dial(jumphost, headers);
  if (socket instanceof WebSocket) return socket;
  throw new Error(`Refused: ${JSON.stringify(socket)}`);
}

const closeOf = (socket: WebSocket) =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on("close", (code, reason) => resolve({ code, reason: `${reason}` })),
  );

const count = async (jumphost: TestJumphost, line: RegExp) =>
  Number(line.exec(await jumphost.metrics())?.[1] ?? Number.NaN);

let shared: TestJumphost;
beforeAll(async () => {
  shared = await startJumphost();
});

/** Nothing is left of any pipe on either side. */
const nothingLeft = (jumphost: TestJumphost, ...vehicles: Vehicle[]) =>
  until(() => jumphost.pipes.size === 0 && vehicles.every(({ sockets }) => sockets.size === 0));

describe("a pipe", () => {
  test("carries bytes both ways, counts them, and leaves nothing when the gateway hangs up", async () => {
    const echo = await vehicle(nextHost(), (socket) => socket.pipe(socket));
    const jumphost = await startJumphost();
    const socket = await open(jumphost, headersFor(echo));
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
    socket.send(sent);
    await until(() => heard(socket).length === sent.length);
    expect(heard(socket).equals(sent)).toBe(true);
    expect(await count(jumphost, /fleet_jumphost_bytes_total\{direction="to_vehicle",.*\} (\d+)/)).toBe(
      200_000,
    );
    expect(await count(jumphost, /fleet_jumphost_bytes_total\{direction="to_gateway",.*\} (\d+)/)).toBe(
      200_000,
    );
    expect(await count(jumphost, /fleet_jumphost_pipes\{.*\} (\d+)/)).toBe(1);
    socket.terminate();
    await nothingLeft(jumphost, echo);
    expect(await count(jumphost, /pipes_closed_total\{reason="gateway_lost",.*\} (\d+)/)).toBe(1);
  });

  test("delivers what was sent before an orderly close, also while the vehicle sends", async () => {
    const talking = await vehicle(nextHost(), (socket) => {
      const timer = setInterval(() => socket.write("telemetry"), 2);
      socket.on("close", () => clearInterval(timer));
    });
    const socket = await open(shared, headersFor(talking));
    socket.send(Buffer.from("the last order"));
    socket.close(1000);
    await nothingLeft(shared, talking);
    expect(talking.received()).toBe("the last order");
  });

  test("ends for the gateway when the vehicle closes the connection or resets it", async () => {
    const leaving = await vehicle(nextHost(), (socket) => void socket.end("bye"));
    const polite = await open(shared, headersFor(leaving));
    await expect(closeOf(polite)).resolves.toEqual({
      code: 1000,
      reason: "the vehicle closed the connection",
    });
    expect(heard(polite).toString()).toBe("bye");
    const cutting = await vehicle(nextHost());
    const cut = await open(shared, headersFor(cutting));
    const closed = closeOf(cut);
    await until(() => cutting.sockets.size === 1);
    for (const socket of cutting.sockets) socket.resetAndDestroy();
    await expect(closed).resolves.toEqual({ code: 1011, reason: "the connection to the vehicle broke" });
    await nothingLeft(shared, leaving, cutting);
  });

  test("is closed when it carries nothing for too long, and not while it carries", async () => {
    const jumphost = await startJumphost({ idleMs: 400 });
    const silent = await vehicle(nextHost());
    const busy = await vehicle(nextHost(), (socket) => {
      const timer = setInterval(() => socket.write("."), 50);
      socket.on("close", () => clearInterval(timer));
    });
    const kept = await open(jumphost, headersFor(busy));
    const idle = await open(jumphost, headersFor(silent));
    expect(await closeOf(idle)).toMatchObject({ code: 4408 });
    expect(kept.readyState).toBe(WebSocket.OPEN);
    kept.terminate();
    await nothingLeft(jumphost, silent, busy);
  });

  test("is closed when the gateway answers no ping", async () => {
    const jumphost = await startJumphost({ pingMs: 100 });
    const talking = await vehicle(nextHost());
    const socket = await open(jumphost, headersFor(talking));
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(jumphost.pipes.size).toBe(1);
    // What a process does that is stopped: the connection stands, nothing is answered.
    socket.pause();
    await nothingLeft(jumphost, talking);
    socket.terminate();
  });

  test("refuses text with 1003 and a frame over the limit with 1009", async () => {
    const jumphost = await startJumphost({ maxFrameBytes: 1_000 });
    const far = await vehicle(nextHost());
    const text = await open(jumphost, headersFor(far));
    text.send("text");
    expect(await closeOf(text)).toMatchObject({ code: 1003 });
    const large = await open(jumphost, headersFor(far));
    large.send(Buffer.alloc(1_001));
    expect(await closeOf(large)).toMatchObject({ code: 1009 });
    await nothingLeft(jumphost, far);
    expect(far.received()).toBe("");
  });

  test("a stop closes every pipe with a request to reconnect, accepts no new one and leaves nothing open", async () => {
    const jumphost = await startJumphost();
    const far = await vehicle(nextHost());
    const socket = await open(jumphost, headersFor(far));
    const closed = closeOf(socket);
    await jumphost.stop();
    expect(await closed).toEqual({ code: 1012, reason: "the jumphost restarts; connect again" });
    await expect(dial(jumphost, headersFor(far))).rejects.toThrow("ECONNREFUSED");
    await nothingLeft(jumphost, far);
  });

  test("a stop answers upgrades that still dial, and does not wait for silent connections", async () => {
    let stopped: Promise<void> | undefined;
    const jumphost = await startJumphost({
      isActive: () => {
        stopped ??= jumphost.stop();
        return true;
      },
    });
    const silent = await rawClient(Number(new URL(jumphost.url).port));
    const far = await vehicle(nextHost());
    expect(await dial(jumphost, headersFor(far))).toMatchObject({
      status: 503,
      body: { reason: "stopping" },
    });
    await stopped;
    await silent.closed;
    await nothingLeft(jumphost, far);
  });
});

test("an upgrade that still dials is refused when another hub begins to serve", async () => {
  const answers = [true];
  const jumphost = await startJumphost({ isActive: () => answers.shift() ?? false });
  const far = await vehicle(nextHost());
  expect(await dial(jumphost, headersFor(far))).toMatchObject({ status: 503, body: { reason: "standby" } });
  await nothingLeft(jumphost, far);
});

test("upgrades that still dial count as pipes", async () => {
  const jumphost = await startJumphost({ maxPipes: 1 });
  const dialled = dial(jumphost, headersFor(await deafVehicle(nextHost())));
  dialled.catch(() => {});
  const far = await vehicle(nextHost());
  await until(async () => {
    const second = await dial(jumphost, headersFor(far));
    if (second instanceof WebSocket) second.close();
    return "status" in second && second.body.reason === "too_many";
  }, 2_500);
});

describe("a peer that does not read", () => {
  const limits: Partial<JumphostOptions> = { maxBufferedBytes: 64 * 1024 };
  const chunk = Buffer.alloc(64 * 1024, 7);
  const most = 512 * 1024 * 1024;

  test("makes the gateway wait: the buffers are bounded, and every byte arrives", async () => {
    const jumphost = await startJumphost(limits);
    const slow = await vehicle(nextHost(), (socket) => socket.pause());
    const socket = await open(jumphost, headersFor(slow));
    let sent = 0;
    while (socket.bufferedAmount < 4 * 1024 * 1024 && sent < most) {
      socket.send(chunk);
      sent += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(most);
    const taken = await count(jumphost, /bytes_total\{direction="to_vehicle",.*\} (\d+)/);
    expect(taken).toBeLessThan(sent);
    let arrived = 0;
    const [far] = slow.sockets;
    far?.on("data", (data) => {
      arrived += data.length;
    });
    far?.resume();
    await until(() => arrived === sent);
    socket.terminate();
    await nothingLeft(jumphost, slow);
  });

  test("makes the vehicle wait: the buffers are bounded, and every byte arrives", async () => {
    const jumphost = await startJumphost(limits);
    let sent = 0;
    let waiting = false;
    const fast = await vehicle(nextHost(), (socket) => {
      const write = () => {
        while (!socket.destroyed && sent < most) {
          sent += chunk.length;
          waiting = !socket.write(chunk);
          if (waiting) return;
        }
      };
      socket.on("drain", write);
      write();
    });
    const socket = await open(jumphost, headersFor(fast));
    socket.pause();
    let arrived = 0;
    socket.on("message", (data: Buffer) => {
      arrived += data.length;
    });
    // Still: nothing moves any more.
    await until(async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return waiting && sent === before;
    });
    expect(sent).toBeLessThan(most);
    const stuck = sent;
    socket.resume();
    await until(() => arrived > stuck);
    socket.terminate();
    await nothingLeft(jumphost, fast);
  });
});

describe("an upgrade is refused", () => {
  const to = (host: string, port = "5001") => ({ "x-drone-ip": host, "x-drone-port": port });

  test.each([
    ["no header", {}],
    ["no port", { "x-drone-ip": "127.0.0.1" }],
    ["no address", { "x-drone-port": "5001" }],
    ["an IPv4-mapped address", to("::ffff:127.0.0.1")],
    ["an IPv6 address", to("[::1]")],
    ["an address with a port", to("127.0.0.1:22")],
    ["a URL", to("http://127.0.0.1/")],
    ["port 0", to("127.0.0.1", "0")],
    ["port 65536", to("127.0.0.1", "65536")],
    ["a port in hex", to("127.0.0.1", "0x16")],
    ["a port with a sign", to("127.0.0.1", "+22")],
    ["a negative port", to("127.0.0.1", "-22")],
    ["two addresses", { "x-drone-ip": ["127.0.0.1", "127.0.0.2"], "x-drone-port": "5001" }],
    ["a fence of 0", { ...to("127.0.0.1"), "x-link-fence": "0" }],
    ["a fence of 2^53", { ...to("127.0.0.1"), "x-link-fence": "9007199254740992" }],
    ["a fence with a fraction", { ...to("127.0.0.1"), "x-link-fence": "1.5" }],
  ])("with 400 for %s", async (_, headers) => {
    expect(await dial(shared, headers as Record<string, string>)).toMatchObject({
      status: 400,
      body: { reason: "malformed", error: expect.stringMatching(/x-(drone|link)-/) },
    });
  });

  test("with 401 without the secret, before its other headers are read", async () => {
    const strict = await startJumphost({ secret: "a bearer secret" });
    for (const authorization of ["", "Bearer wrong", "Basic a bearer secret"]) {
      expect(await dial(strict, { ...to("nowhere!"), authorization })).toMatchObject({
        status: 401,
        body: { reason: "unauthenticated" },
      });
    }
    const far = await vehicle(nextHost());
    const socket = await open(strict, { ...headersFor(far), authorization: "Bearer a bearer secret" });
    socket.terminate();
    expect(await count(strict, /refusals_total\{reason="unauthenticated",.*\} (\d+)/)).toBe(3);
  });

  test("with 502 where nothing listens and 504 where no answer comes in time", async () => {
    const jumphost = await startJumphost({ connectMs: 300 });
    const gone = await vehicle(nextHost());
    expect(await dial(jumphost, to(gone.host, "1"))).toMatchObject({
      status: 502,
      body: { reason: "unreachable", error: expect.stringContaining("ECONNREFUSED") },
    });
    const deaf = await deafVehicle(nextHost());
    expect(await dial(jumphost, headersFor(deaf))).toMatchObject({
      status: 504,
      body: { reason: "timeout", error: expect.stringContaining("does not answer") },
    });
  });

  test("with 503 at the limit of pipes", async () => {
    const jumphost = await startJumphost({ maxPipes: 2 });
    const [one, two] = [await vehicle(nextHost()), await vehicle(nextHost())];
    const held = [await open(jumphost, headersFor(one)), await open(jumphost, headersFor(one))];
    expect(await dial(jumphost, headersFor(two))).toMatchObject({
      status: 503,
      body: { reason: "too_many" },
    });
    for (const socket of held) socket.terminate();
    await nothingLeft(jumphost, one, two);
    (await open(jumphost, headersFor(one))).terminate();
  });

  test("with 426 for a plain request, and 400 for a malformed handshake", async () => {
    const plain = await fetch(shared.url.replace("ws", "http"));
    expect([plain.status, await plain.json()]).toMatchObject([426, { error: expect.any(String) }]);
    const far = await vehicle(nextHost());
    const { port } = new URL(shared.url);
    const raw = connect(Number(port), "127.0.0.1");
    let answer = "";
    raw.on("data", (bytes) => {
      answer += bytes;
    });
    raw.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nx-drone-ip: ${far.host}\r\nx-drone-port: ${far.port}\r\n\r\n`,
    );
    await until(() => answer.startsWith("HTTP/1.1 400"));
    await nothingLeft(shared, far);
    raw.destroy();
  });
});

test("a gateway that disconnects while the vehicle is dialled leaves nothing", async () => {
  const far = await vehicle(nextHost());
  const attempts = Array.from({ length: 50 }, () => {
    const socket = new WebSocket(shared.url, { headers: headersFor(far) });
    socket.on("error", () => {});
    setImmediate(() => socket.terminate());
    return new Promise((resolve) => socket.on("close", resolve));
  });
  await Promise.all(attempts);
  await nothingLeft(shared, far);
});
