import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import type { ByteStream, Dial, LinkTarget } from "../byte-stream";
import { dialDirect } from "./direct";
import { dialThroughJumphost } from "./jumphost";

/** An echoing TCP server in the vehicle's place: every byte that comes back has been on the far side. */
let echo: Server;
let port: number;
const sockets = new Set<Socket>();
let jumphost: TestJumphost;

beforeEach(async () => {
  echo = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => void sockets.delete(socket));
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  port = (echo.address() as AddressInfo).port;
  jumphost = await startJumphost({ secret: "s3cret" });
});

afterEach(async () => {
  await jumphost.stop();
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => echo.close(() => resolve()));
});

const never = () => new AbortController().signal;
const target = (changes: Partial<LinkTarget> = {}): LinkTarget => ({
  key: "1",
  host: "127.0.0.1",
  port,
  via: "direct",
  ...changes,
});
const dialer = (kind: "direct" | "jumphost"): Dial =>
  kind === "direct" ? dialDirect : dialThroughJumphost({ url: jumphost.url, secret: "s3cret" });

const closed = (stream: ByteStream) => new Promise<string>((resolve) => stream.onClose(resolve));

/** A port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return free;
}

describe.each(["direct", "jumphost"] as const)("dialling %s", (kind) => {
  test("carries bytes both ways, unchanged and in order", async () => {
    const stream = await dialer(kind)(target(), never());
    const sent = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 251));
    const back: Buffer[] = [];
    const all = new Promise<void>((resolve) =>
      stream.onData((chunk) => {
        back.push(Buffer.from(chunk));
        if (Buffer.concat(back).length === sent.length) resolve();
      }),
    );
    stream.write(sent.subarray(0, 100));
    stream.write(sent.subarray(100));
    await all;
    expect(Buffer.concat(back).equals(sent)).toBe(true);
    stream.close();
  });

  test("reports once that the vehicle closed the connection, also to a late listener, and drops later writes", async () => {
    const stream = await dialer(kind)(target(), never());
    const first = closed(stream);
    const received = new Promise<void>((resolve) => stream.onData(() => resolve()));
    stream.write(Buffer.from("hello"));
    await received;
    for (const socket of sockets) socket.destroy();
    const reason = await first;
    expect(reason).not.toBe("");
    await expect(closed(stream)).resolves.toBe(reason);
    stream.write(Buffer.from("to nobody"));
    stream.close();
  });

  test("closes the vehicle's connection when it is closed", async () => {
    const stream = await dialer(kind)(target(), never());
    const received = new Promise<void>((resolve) => stream.onData(() => resolve()));
    stream.write(Buffer.from("hello"));
    await received;
    const [far] = sockets;
    const ended = new Promise<void>((resolve) => far?.on("close", () => resolve()));
    stream.close();
    await ended;
    await closed(stream);
  });

  test("stops dialling when its signal is aborted", async () => {
    const giveUp = new AbortController();
    giveUp.abort();
    await expect(dialer(kind)(target(), giveUp.signal)).rejects.toMatchObject({
      code: "vehicle_unreachable",
    });
  });
});

test("a refused port is unreachable at once", async () => {
  const dead = await deadPort();
  await expect(dialDirect(target({ port: dead }), never())).rejects.toMatchObject({
    code: "vehicle_unreachable",
    message: `Nothing answers at 127.0.0.1:${dead}.`,
  });
});

test("a vehicle that refuses the jumphost is unreachable, and the error carries the jumphost's message", async () => {
  const dial = dialThroughJumphost({ url: jumphost.url, secret: "s3cret" });
  const dead = await deadPort();
  await expect(dial(target({ port: dead }), never())).rejects.toMatchObject({
    code: "vehicle_unreachable",
    message: `The jumphost does not reach 127.0.0.1:${dead}. 127.0.0.1:${dead} refuses (ECONNREFUSED).`,
  });
});

test("the jumphost gets the target and the fencing number, and a higher number takes over", async () => {
  const dial = dialThroughJumphost({ url: jumphost.url, secret: "s3cret" });
  const stream = await dial(target({ fence: 42 }), never());
  const [pipe] = jumphost.pipes;
  expect(pipe).toMatchObject({ address: "127.0.0.1", port, fence: 42 });
  const later = await dial(target({ fence: 43 }), never());
  await expect(closed(stream)).resolves.toContain("a newer holder");
  await expect(dial(target({ fence: 42 }), never())).rejects.toMatchObject({
    code: "vehicle_unreachable",
    message: expect.stringContaining("fencing number 43"),
  });
  later.close();
});

test("a jumphost with another secret, or one that does not listen, is unreachable", async () => {
  const wrong = dialThroughJumphost({ url: jumphost.url, secret: "wrong" });
  await expect(wrong(target(), never())).rejects.toMatchObject({ code: "vehicle_unreachable" });
  const absent = dialThroughJumphost({ url: `ws://127.0.0.1:${await deadPort()}` });
  await expect(absent(target(), never())).rejects.toMatchObject({ code: "vehicle_unreachable" });
});
